import { Result } from "effect"

/** Where a signer is: a Unix socket on this machine, or a host and a port that are reached over TLS. */
export type SignerAddress =
  | { readonly _tag: "Socket"; readonly path: string }
  | { readonly _tag: "Tls"; readonly host: string; readonly port: number }

/** The files of one side of a connection over TLS, in PEM. */
export interface TlsFiles {
  /** The one authority that the other side's certificate must be of. */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Reads `unix:/path` or `tls://host:port`; else says what is wrong. */
export const parseSignerAddress = (text: string): Result.Result<SignerAddress, string> => {
  if (text.startsWith("unix:/")) return Result.succeed({ _tag: "Socket", path: text.slice("unix:".length) })
  const match = /^tls:\/\/(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})$/u.exec(text)
  const [, host = "", port = ""] = match ?? []
  return match === null || Number(port) > 65_535
    ? Result.fail("must be unix:/<path> or tls://<host>:<port>")
    : Result.succeed({ _tag: "Tls", host, port: Number(port) })
}
