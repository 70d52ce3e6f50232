import { isIP } from "node:net"
import { Result } from "effect"

/** A host of this machine: a loopback address, or the directory of a Unix socket. No host at all is `localhost`. */
const isLocal = (host: string): boolean =>
  host === "" ||
  host.startsWith("/") ||
  host.startsWith("%2F") ||
  host === "localhost" ||
  host === "[::1]" ||
  host === "::1" ||
  (isIP(host) === 4 && host.startsWith("127."))

/**
 * How sessions of a database are encrypted. Outside this machine they are, and the certificate is verified, unless the URL
 * says `sslmode=disable`. Refused in words is a mode that would go on in the clear wherever somebody on the way wishes.
 */
export const databaseTls = (url: string): Result.Result<{ readonly ssl?: boolean }, string> => {
  if (!URL.canParse(url)) return Result.fail("this is not a URL")
  const parsed = new URL(url)
  const mode = parsed.searchParams.getAll("sslmode").at(-1)
  if (mode === "disable") return Result.succeed({ ssl: false })
  if (isLocal(parsed.searchParams.getAll("host").at(-1) ?? parsed.hostname)) return Result.succeed({})
  return mode === undefined || mode === "require" || mode === "verify-ca" || mode === "verify-full"
    ? Result.succeed({ ssl: true })
    : Result.fail(
        `sslmode=${mode} does not protect the connection: leave it out (TLS with a verified certificate), or say sslmode=disable where the network is your own`
      )
}
