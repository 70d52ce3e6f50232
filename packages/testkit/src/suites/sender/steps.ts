import type { Memo } from "@bursar/core/port/Chain"
import type { SendOrder, SignedAttempt, UnsignedTransaction } from "@bursar/core/port/ChainSender"
import { Effect, Result } from "effect"
import { SenderWorld } from "./SenderWorld.ts"

/** A number of units that every network lets through, its least outputs included. */
export const unitsPaid = 20_000n

let salt = 0

/** An order of one payment from a new account to a new receiver. Parts of it can be given. */
export const anOrder = Effect.fn("senderSuite.anOrder")(function* (
  parts: {
    readonly from?: string
    readonly to?: string
    readonly units?: bigint
    readonly contract?: string | null
    readonly memo?: Memo | null
  } = {}
) {
  const world = yield* SenderWorld
  const from = parts.from ?? (yield* world.account)
  const order: SendOrder = {
    from,
    guard: yield* world.take(from),
    payments: [
      {
        to: parts.to ?? (yield* world.receiver),
        contract: parts.contract ?? null,
        units: parts.units ?? unitsPaid,
        memo: parts.memo ?? null
      }
    ],
    validUntil: yield* world.validUntil,
    salt: ++salt,
    drain: false,
    replacing: null
  }
  return order
})

/** The one receiver of an order, and what it is to get. */
export const paymentOf = ({ payments }: SendOrder) => {
  const [payment] = payments
  if (payment === undefined) throw new Error("the order has no payment")
  return payment
}

/** Signs with the world's keys what the format reads in the bytes. What it refuses to read is a defect. */
export const signedBy = (
  { format, sign }: Pick<SenderWorld["Service"], "format" | "sign">,
  unsigned: UnsignedTransaction
): SignedAttempt => {
  const { digests } = Result.getOrThrowWith(format.read(unsigned.bytes), (refusal) => new Error(refusal))
  const signatures = digests.map(({ address, digest }) => sign(address, digest))
  const finished = Result.getOrThrowWith(format.finish(unsigned.bytes, signatures), (refusal) => new Error(refusal))
  return { ...finished, validUntil: unsigned.validUntil }
}

/** Builds an order and signs it. */
export const signedOrder = Effect.fn("senderSuite.signedOrder")(function* (order: SendOrder) {
  const world = yield* SenderWorld
  return signedBy(world, yield* world.sender.build(order))
})

/** Builds, signs and broadcasts an order. */
export const sentOrder = Effect.fn("senderSuite.sentOrder")(function* (order: SendOrder) {
  const { sender } = yield* SenderWorld
  const signed = yield* signedOrder(order)
  const answer = yield* sender.broadcast(signed.raw)
  if (answer._tag !== "Accepted") return yield* Effect.die(new Error(`not taken: ${JSON.stringify(answer)}`))
  return signed
})

/** The payments in the bytes of a transaction to others than who pays: beside them there may be change. */
export const paymentsIn = Effect.fn("senderSuite.paymentsIn")(function* (
  order: SendOrder,
  { bytes }: UnsignedTransaction
) {
  const { format } = yield* SenderWorld
  return Result.getOrThrow(format.read(bytes)).payments.filter(({ to }) => to !== order.from)
})

/** How much more an address has after something was done. */
export const gained = Effect.fn("senderSuite.gained")(function* <E, R>(
  address: string,
  contract: string | null,
  what: Effect.Effect<unknown, E, R>
) {
  const { balance } = yield* SenderWorld
  const before = yield* balance(address, contract)
  yield* what
  return (yield* balance(address, contract)) - before
})
