import { Effect, Schedule } from "effect"
import type { Hex } from "@bursar/simulator-evm/Faucet"
import { freshAddress } from "./payer.ts"

/** An answer as it came: its body byte for byte. */
export interface Answered {
  readonly status: number
  readonly replayed: boolean
  readonly text: string
}

/** A registration with the key under which it may be repeated. */
export interface Request {
  readonly idempotencyKey: string
  readonly addresses: ReadonlyArray<Hex>
}

/** A registration of a few addresses of its own. */
export const freshRequest = (network: string, index: number): Request => ({
  idempotencyKey: `${network}-load-${index}`,
  addresses: Array.from({ length: 1 + (index % 3) }, freshAddress)
})

/** Sends a registration once. Fails where no answer comes, as when the server dies meanwhile. */
export const sendRegistration = (url: string, apiKey: string, network: string, request: Request) =>
  Effect.tryPromise(async (signal): Promise<Answered> => {
    const response = await fetch(`${url}/v1/deposit-addresses`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "idempotency-key": request.idempotencyKey
      },
      body: JSON.stringify({
        addresses: request.addresses.map((address) => ({ network, address, reference: request.idempotencyKey }))
      }),
      signal
    })
    return {
      status: response.status,
      replayed: response.headers.get("idempotency-replayed") === "true",
      text: await response.text()
    }
  })

/** Repeats a call until it is answered with 2xx, as a client does that cannot know what became of the last one. */
export const insist = <E, R>(call: Effect.Effect<Answered, E, R>): Effect.Effect<Answered, E, R> =>
  call.pipe(
    Effect.filterOrFail(
      ({ status }) => status >= 200 && status < 300,
      (answer) => answer
    ),
    Effect.retry(Schedule.spaced("50 millis")),
    // Retried without end, it never fails.
    Effect.orDie
  )
