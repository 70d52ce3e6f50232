import { Effect } from "effect"
import type { Payment, SendOrder } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import { signedBy } from "@bursar/testkit/suites/sender/steps"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { coinUnits } from "./SenderWorld.ts"

/** A payment of bitcoin. */
export const pay = (to: string, units: bigint): Payment => ({ to, contract: null, units, memo: null })

/** An order that spends coins; its change goes to the address of the first, unless it says otherwise. */
export const orderOf = (
  utxos: ReadonlyArray<Utxo>,
  payments: ReadonlyArray<Payment>,
  parts: Partial<SendOrder> = {}
): SendOrder => ({
  from: utxos[0]?.address ?? "",
  guard: { _tag: "Utxos", utxos },
  payments,
  validUntil: 0,
  salt: 1,
  drain: false,
  replacing: null,
  ...parts
})

/** An order that gives all that the coins hold to one receiver. */
export const drainOf = (utxos: ReadonlyArray<Utxo>, to: string): SendOrder =>
  orderOf(utxos, [pay(to, coinUnits * BigInt(utxos.length))], { drain: true })

/** Builds an order and signs it. */
export const signedOf = Effect.fn("test.signedOf")(function* (order: SendOrder) {
  const world = yield* SenderWorld
  const unsigned = yield* world.sender.build(order)
  return { unsigned, signed: signedBy(world, unsigned) }
})

/** Builds, signs and broadcasts an order; the node must take it. */
export const sentOf = Effect.fn("test.sentOf")(function* (order: SendOrder) {
  const { sender } = yield* SenderWorld
  const both = yield* signedOf(order)
  const answer = yield* sender.broadcast(both.signed.raw)
  if (answer._tag !== "Accepted") return yield* Effect.die(new Error(JSON.stringify(answer)))
  return both
})
