import * as z from "zod";

/** The `tls` block of every endpoint that has one, but `ibmmq`. Null stands for left out. */
export const tlsSchema = z.strictObject({
  required: z.boolean().nullish().meta({
    default: false,
    description: "Speak TLS. The other fields have no effect without it.",
  }),
  ca_file: z
    .string()
    .min(1)
    .nullish()
    .meta({
      description:
        "PEM file of the authorities that the other side's certificate may come from, instead of the system's. On a listener: clients need a certificate of one of them.",
      examples: ["/etc/ssl/private-ca.pem"],
    }),
  cert_file: z
    .string()
    .min(1)
    .nullish()
    .meta({
      description: "PEM file of the own certificate, with the ones in between behind it. Needs key_file.",
      examples: ["/etc/ssl/mqb.pem"],
    }),
  key_file: z
    .string()
    .min(1)
    .nullish()
    .meta({
      description: "PEM file of the private key that belongs to cert_file.",
      examples: ["/etc/ssl/mqb.key"],
    }),
  cert_password: z.string().nullish().meta({ secret: true, description: "The password of an encrypted key_file." }),
  accept_invalid_certs: z.boolean().nullish().meta({
    default: false,
    description: "Take whoever answers for the server, whatever its certificate says. For tests.",
  }),
});

/** The block as written. */
export type TlsConfig = z.input<typeof tlsSchema>;

/** Who has the block: the side that connects, or the one that is connected to. */
export type TlsRole = "client" | "listener";
