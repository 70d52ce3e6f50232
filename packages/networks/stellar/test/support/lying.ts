import type { SendOrder, TransactionStatus } from "@bursar/core/port/ChainSender"
import { decode } from "@bursar/simulator-stellar/Submission"
import { SenderWorld } from "@bursar/testkit/suites/sender/SenderWorld"
import { assert } from "@effect/vitest"
import { Account, Operation, TransactionBuilder } from "@stellar/stellar-sdk/base"
import { Effect } from "effect"
import { SendingDevnet } from "./SenderWorldLayer.ts"
import { tamper } from "./tamper.ts"
import { type Json, recordsIn } from "./TamperingNode.ts"

/** A sender whose node can be made to lie. */
export const tampered = Effect.gen(function* () {
  const { devnet, sender } = yield* SendingDevnet
  const node = yield* tamper(devnet.horizonUrl)
  return { ...node, liar: sender({ horizonUrl: node.horizonUrl }) }
})

/** A transaction of somebody who has nothing to do with an order, as the node writes it. */
export const strangersRecord = Effect.gen(function* () {
  const { devnet } = yield* SendingDevnet
  const stranger = yield* (yield* SenderWorld).account
  const answer = yield* Effect.promise(async () => {
    const response = await fetch(`${devnet.horizonUrl}/accounts/${stranger}/transactions?order=desc&limit=1`)
    // Horizon answers objects of JSON.
    return (await response.json()) as Json
  })
  return recordsIn(answer)[0] ?? assert.fail("the stranger has done nothing")
})

/** The account and number of an order. */
export const sequenceOf = ({ guard }: SendOrder) => (guard._tag === "Sequence" ? guard : assert.fail("stellar counts"))

/** Raises the number of an order's account to that of the order, in a transaction of somebody else. */
export const leapOver = Effect.fnUntraced(function* (order: SendOrder) {
  const { devnet, keyOf } = yield* SendingDevnet
  const { account: anybody, include } = yield* SenderWorld
  const { account, sequence } = sequenceOf(order)
  const other = yield* anybody
  const { chain } = devnet.faucet
  const next = chain.accounts(chain.head().sequence).get(other)?.sequence ?? 0n
  const transaction = new TransactionBuilder(new Account(other, next.toString()), {
    fee: "100",
    networkPassphrase: devnet.networkPassphrase
  })
    .addOperation(Operation.bumpSequence({ bumpTo: String(sequence), source: account }))
    .setTimeout(0)
    .build()
  transaction.sign(keyOf(other), keyOf(account))
  const submission = decode(transaction.toXdr(), devnet.networkPassphrase)
  if (submission === undefined) return assert.fail("unreadable")
  assert.strictEqual(chain.submit(submission, chain.head().time).status, "PENDING")
  return yield* include
})

/** The word for what became of an order. */
export const reasonOf = (status: TransactionStatus) => (status._tag === "Invalidated" ? status.reason : status._tag)
