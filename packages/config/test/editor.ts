import type { JsonSchema } from "@mqb/core/plugin";
import { TextDocument } from "vscode-languageserver-textdocument";
import * as languageServer from "yaml-language-server";

/** What an editor says about a configuration, by the YAML language server that editors use. */
export interface Editor {
  /** With the line that each stands in, from 1. */
  faults(text: string): Promise<{ readonly line: number; readonly message: string }[]>;
  /** The words offered at the end of a line. */
  completions(text: string, line: number): Promise<string[]>;
  hover(text: string, line: number, column: number): Promise<string>;
}

const FILE = "file:///project/mqb.yaml";

export function openEditor(schema: JsonSchema): Editor {
  const service = languageServer.getLanguageService({
    schemaRequestService: (uri) => Promise.reject(new Error(`nothing may be fetched: ${uri}`)),
    workspaceContext: { resolveRelativePath: (relative) => relative },
  });
  service.configure({
    validate: true,
    completion: true,
    hover: true,
    yamlVersion: "1.2",
    schemas: [{ uri: "file:///mqb.schema.json", fileMatch: ["*.yaml"], schema: schema as never }],
  });
  let version = 0;
  const open = (text: string) => TextDocument.create(FILE, "yaml", ++version, text);
  return {
    async faults(text) {
      const found = await service.doValidation(open(text), false);
      return found.map(({ range, message }) => ({
        line: range.start.line + 1,
        message: typeof message === "string" ? message : message.value,
      }));
    },
    async completions(text, line) {
      const written = text.split("\n")[line - 1]!;
      const { items } = await service.doComplete(open(text), { line: line - 1, character: written.length }, false);
      return items.map((item) => item.label);
    },
    async hover(text, line, column) {
      const hover = await service.doHover(open(text), { line: line - 1, character: column });
      return JSON.stringify(hover?.contents ?? "");
    },
  };
}
