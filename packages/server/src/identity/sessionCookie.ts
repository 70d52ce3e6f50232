import { consoleHeader } from "@bursar/api/operator/consoleSession"

/** The cookie of a session. */
export const sessionCookie = "bursar_session"

type Headers = Readonly<Record<string, string | undefined>>

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/u

/** The attributes of the cookie: no script reads it, no other site sends it, and it goes over TLS unless the browser is on the same machine. */
export const cookieOptions = (headers: Headers) =>
  ({ path: "/operator/v1", httpOnly: true, sameSite: "strict", secure: !loopback.test(headers["host"] ?? "") }) as const

/**
 * The secret of the session that a request comes in. A request counts only if the console itself made it: it says so in a header that pages
 * of other sites cannot set, and the browser, where it tells, does not name another site.
 */
export const sessionIn = (headers: Headers): string | undefined => {
  const site = headers["sec-fetch-site"]
  if (headers[consoleHeader] !== "1" || (site !== undefined && site !== "same-origin")) return undefined
  const cookies = headers["cookie"]?.split(";") ?? []
  const prefix = `${sessionCookie}=`
  return cookies
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(prefix))
    ?.slice(prefix.length)
}
