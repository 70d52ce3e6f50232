import { Cause, Effect } from "effect"

/** What a local node answered. */
export interface Asked {
  readonly status: number
  readonly body: unknown
}

const timeoutMs = 15_000

const urlParts = (text: string) => {
  const url = new URL(text)
  const { password, username } = url
  url.username = ""
  url.password = ""
  return { href: url.href, username: decodeURIComponent(username), password: decodeURIComponent(password) }
}

/** Asks a local node for JSON: POSTs where there is a body. User and password may stand in the URL. Null where there is no answer. */
export const ask = (url: string, body?: unknown): Effect.Effect<Asked | null> =>
  Effect.tryPromise(async (signal): Promise<Asked> => {
    const { password, username, ...rest } = urlParts(url)
    const response = await fetch(rest.href, {
      signal,
      headers: {
        "content-type": "application/json",
        ...(username === "" ? {} : { authorization: `Basic ${btoa(`${username}:${password}`)}` })
      },
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
    })
    const answer: unknown = await response.json()
    return { status: response.status, body: answer }
  }).pipe(
    Effect.timeout(timeoutMs),
    Effect.catch((error) =>
      Effect.as(
        Effect.annotateLogs(Effect.logDebug("sandbox.node_unreachable", Cause.fail(error)), {
          host: new URL(url).host
        }),
        null
      )
    )
  )
