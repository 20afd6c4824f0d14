import { MqbError } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

/** Thrown by `receiveBatch`: nothing will ever come again. The route ends as completed. */
export class EndOfStream extends MqbError {
  constructor(message?: string) {
    const { code, kind, message: usual } = errors.END_OF_STREAM({});
    super(code, kind, message ?? usual);
  }
}
