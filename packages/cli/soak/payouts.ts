import type { Hex } from "@bursar/simulator-evm/Faucet"
import { Clock, Effect, Schedule } from "effect"
import type { Answered } from "../test/support/load.ts"
import { freshAddress } from "../test/support/payer.ts"
import type { Attempt } from "./history.ts"
import { currency, type Partner } from "./Partner.ts"

/** A payout that was asked for, and what was answered first. */
export interface Asked {
  readonly idempotencyKey: string
  readonly to: Hex
  readonly units: bigint
  readonly keyIndex: number
  /** When it was asked for first, in milliseconds. */
  readonly since: number
  /** Each time that it was sent. */
  readonly attempts: Array<Attempt>
  answer: Answered | undefined
  /** When it was answered first, in milliseconds. */
  until: number | undefined
}

const path = "/v1/chain-payouts"

const decimals = 6

const amountOf = (units: bigint): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/u, "")
}

/** A payout to somebody new, of an amount of its own. */
export const newPayout = (index: number, keysCount: number, since: number): Asked => ({
  idempotencyKey: `soak-payout-${index}`,
  to: freshAddress(),
  units: 1_000_000n + BigInt(index),
  keyIndex: index % keysCount,
  since,
  attempts: [],
  answer: undefined,
  until: undefined
})

/** Signs and sends a payout once. Fails where no answer comes. */
export const sendPayout = Effect.fn("soak.sendPayout")(function* (
  { keys }: Pick<Partner, "keys">,
  url: string,
  { attempts, idempotencyKey, keyIndex, to, units }: Asked
) {
  const from = yield* Clock.currentTimeMillis
  const held = keys[keyIndex]
  if (held === undefined) return yield* Effect.die(new Error(`there is no key ${keyIndex}`))
  const body = Buffer.from(
    JSON.stringify({
      amount: { amount: amountOf(units), currency },
      network: "ethereum",
      destination: { address: to, memo: null },
      reference: idempotencyKey
    })
  )
  const { host } = new URL(url)
  const contentType = "application/json"
  const signed = yield* held.signer.sign({ method: "POST", authority: host, path, idempotencyKey, contentType, body })
  const note = Effect.fnUntraced(function* (told: Answered | undefined) {
    const isDone = told !== undefined && told.status < 300
    // what was refused has done nothing; what failed may have
    if (told !== undefined && told.status >= 400 && told.status < 500) return
    attempts.push({
      from,
      to: isDone ? yield* Clock.currentTimeMillis : null,
      answer: isDone ? told.text : null,
      replayed: isDone && told.replayed
    })
  })
  return yield* Effect.tryPromise(async (signal): Promise<Answered> => {
    const headers = {
      authorization: `Bearer ${held.key}`,
      "content-type": contentType,
      "idempotency-key": idempotencyKey,
      ...signed
    }
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body, signal })
    return {
      status: response.status,
      replayed: response.headers.get("idempotency-replayed") === "true",
      text: await response.text()
    }
  }).pipe(
    Effect.timeout("10 seconds"),
    Effect.tap(note),
    Effect.tapError(() => note(undefined)),
    Effect.onInterrupt(() => note(undefined))
  )
})

/** Repeats it, by one server and by the other, until it is acknowledged; a refusal for good is a defect. */
export const insistOn = Effect.fn("soak.insistOn")(function* (
  partner: Pick<Partner, "keys">,
  urls: ReadonlyArray<string>,
  asked: Asked
) {
  let tries = asked.keyIndex
  const once = Effect.suspend(() => sendPayout(partner, urls[tries++ % urls.length] ?? "", asked))
  const answer = yield* once.pipe(
    Effect.tap(({ status, text }) =>
      status >= 400 && status < 500 && status !== 429 && status !== 409
        ? Effect.die(new Error(`a payout was refused: ${status} ${text}`))
        : Effect.void
    ),
    Effect.filterOrFail(({ status }) => status === 201 || status === 200),
    Effect.retry(Schedule.spaced("50 millis")),
    Effect.orDie
  )
  if (asked.answer === undefined) {
    asked.answer = answer
    asked.until = yield* Clock.currentTimeMillis
  }
  return answer
})
