import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

/** A ledger of another project that is running, and how it is asked over HTTP to make transfers from one account. */
export interface Peer {
  readonly name: string
  /** Where one operation goes. */
  readonly url: string
  /** One operation: what is held and a fee, out of one account. */
  readonly body: string
  /** Many of the same in one request. */
  readonly bulk: { readonly url: string; readonly body: string; readonly size: number }
}

/** What cannot be measured, because a variable does not say where its program is. */
export interface Missing {
  readonly name: string
  readonly variable: string
}

/** What a variable names, or what is missing. */
export const programOf = (name: string, variable: string): { readonly program: string } | Missing => {
  const program = process.env[variable]
  return program === undefined || program === "" ? { name, variable } : { program }
}

/** A port that is free now. */
export const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    // a TCP server that listens has an AddressInfo
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Posts JSON, and fails unless that is answered with success. */
export const post = (url: string, body: unknown) =>
  Effect.tryPromise(async () => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!answer.ok) throw new Error(`${url} answers ${answer.status}: ${await answer.text()}`)
  })
