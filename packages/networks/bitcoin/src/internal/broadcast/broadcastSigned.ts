import type { Transaction } from "bitcoinjs-lib"
import { Effect } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Broadcast } from "@bursar/core/port/ChainSender"
import type { BitcoinRpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent, type NodeRefusal } from "../rpc/NodeAnswer.ts"
import { AcceptAnswer, Hash } from "../rpc/wire.ts"
import { decodeTransaction } from "../build/SignedTransaction.ts"
import { shownHash } from "../build/SignedTransaction.ts"
import { unspentOf } from "../build/unspent.ts"
import { waits } from "../rpc/waits.ts"

const doing = "broadcast a transaction"

/** No limit: the fee was bounded before the transaction was signed. */
const anyFeeRate = 0

/** What the node is given. */
interface Given {
  readonly hex: string
  readonly txHash: string
  readonly transaction: Transaction
}

const taken: Broadcast = { _tag: "Accepted" }
const unknown = (detail: string): Broadcast => ({ _tag: "Unknown", detail })

const notTaken = (reason: Extract<Broadcast, { _tag: "Rejected" }>["reason"], detail: string): Broadcast => ({
  _tag: "Rejected",
  reason,
  detail
})

/** RPC_VERIFY_REJECTED, RPC_VERIFY_ALREADY_IN_UTXO_SET, RPC_VERIFY_ERROR, RPC_IN_WARMUP, RPC_DESERIALIZATION_ERROR. */
const codes = { rejected: -26, known: -27, verify: -25, warmup: -28, undecodable: -22 }

const missingInputs = /missing-?inputs|inputs-missingorspent/iu

/** What Bitcoin Core's words for a refusal mean (`validation.cpp`, `policy.cpp`). */
const byWords = (words: string): Broadcast => {
  if (/insufficient fee|min relay fee|mempool min fee|insufficient priority/iu.test(words)) {
    return notTaken("fee_too_low", words)
  }
  if (/too-long-mempool-chain|mempool full|too many potential replacements|non-final|non-BIP68/iu.test(words)) {
    return notTaken("busy", words)
  }
  if (/txn-mempool-conflict|replacement-adds-unconfirmed|bad-txns-spends-conflicting-tx/iu.test(words)) {
    return notTaken("guard_used", words)
  }
  return notTaken("invalid", words)
}

/**
 * What a node means that misses the inputs of a transaction: it has it already and the outputs are spent, or another transaction has
 * spent them, or it has lost or never seen the one that made them.
 */
const lookUp = Effect.fn("BitcoinSender.lookUp")(function* (
  rpc: BitcoinRpc,
  { transaction, txHash }: Given,
  words: string
): Effect.fn.Return<Broadcast, ChainError> {
  if ((yield* waits(rpc, doing, txHash)) !== undefined) return taken
  const outputs = transaction.outs.map((_, vout) => ({ txHash, vout }))
  if ((yield* unspentOf(rpc, doing, outputs)).some((output) => output !== undefined)) return taken
  const inputs = transaction.ins.map(({ hash, index }) => ({ txHash: shownHash(hash), vout: index }))
  const missing = (yield* unspentOf(rpc, doing, inputs)).filter((output) => output === undefined).length
  return missing === 0
    ? notTaken("busy", `${words}; yet the newest block has all its inputs unspent`)
    : notTaken(
        "guard_used",
        `${words}: ${missing} of its ${inputs.length} inputs are spent or unknown; the chain decides`
      )
})

const refused = (rpc: BitcoinRpc, given: Given, refusal: NodeRefusal): Effect.Effect<Broadcast, ChainError> => {
  const words = `${refusal.detail} (${refusal.code})`
  if (refusal.code === codes.known) return Effect.succeed(taken)
  if (missingInputs.test(refusal.detail)) return lookUp(rpc, given, words)
  if (refusal.code === codes.warmup) return Effect.succeed(notTaken("busy", words))
  if (refusal.code === codes.rejected || refusal.code === codes.verify) return Effect.succeed(byWords(words))
  return Effect.succeed(refusal.code === codes.undecodable ? notTaken("invalid", words) : unknown(words))
}

/** What stands in the way of sending, by the node's own trial of it; undefined where nothing does. */
const tried = Effect.fn("BitcoinSender.tried")(function* (
  rpc: BitcoinRpc,
  given: Given
): Effect.fn.Return<Broadcast | undefined, ChainError | NodeRefusal> {
  const answer = yield* rpc.call(doing, "testmempoolaccept", [[given.hex], anyFeeRate])
  const [trial] = yield* decoded(doing, AcceptAnswer, answer)
  if (trial.txid !== given.txHash) return yield* inconsistent(doing, `the node tried transaction ${trial.txid}`)
  const reason = trial["reject-reason"] ?? ""
  // What it has already is given to it again: it tells its peers once more.
  if (trial.allowed || reason === "txn-already-in-mempool") return undefined
  if (reason === "txn-already-known" || reason === "txn-same-nonwitness-data-in-mempool") return taken
  if (missingInputs.test(reason)) return yield* lookUp(rpc, given, reason)
  return byWords(trial["reject-details"] ?? reason)
})

const send = Effect.fn("BitcoinSender.send")(function* (
  rpc: BitcoinRpc,
  given: Given
): Effect.fn.Return<Broadcast, ChainError | NodeRefusal> {
  const obstacle = yield* tried(rpc, given)
  if (obstacle !== undefined) return obstacle
  const answer = yield* rpc.call(doing, "sendrawtransaction", [given.hex, anyFeeRate])
  const hash = yield* decoded(doing, Hash, answer)
  return hash === given.txHash ? taken : unknown(`the node answered with transaction ${hash}`)
})

/**
 * Gives the node these very bytes: a trial first, then the transaction itself. Never fails and never concludes: what the node says is
 * a reason to try again sooner or later, or differently, and nothing else.
 */
export const broadcastSigned = Effect.fn("BitcoinSender.broadcast")(function* (
  rpc: BitcoinRpc,
  raw: Uint8Array
): Effect.fn.Return<Broadcast> {
  const transaction = decodeTransaction(raw)
  if (transaction === undefined) return notTaken("invalid", "these bytes are no transaction of bitcoin")
  const given = { hex: Buffer.from(raw).toString("hex"), txHash: transaction.getId(), transaction }
  return yield* send(rpc, given).pipe(
    Effect.catchTag("NodeRefusal", (refusal) => refused(rpc, given, refusal)),
    Effect.catchTag("ChainError", (error) => Effect.succeed(unknown(error.message)))
  )
})
