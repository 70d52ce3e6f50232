import { bytesToHex } from "@noble/hashes/utils.js"
import type { Broadcast } from "@bursar/core/port/ChainSender"
import { Effect, Schema } from "effect"
import type { Node } from "../rpc/Node.ts"
import { decoded, shortened } from "../rpc/NodeAnswer.ts"
import { orUnreachable } from "../read/readHeader.ts"
import { textOf } from "../build/contractCall.ts"
import { idOf, rawBytesIn } from "../build/RawTransaction.ts"

const Answer = Schema.Struct({
  result: Schema.optionalKey(Schema.Boolean),
  code: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  txid: Schema.optionalKey(Schema.String)
})

type Reason = (Broadcast & { readonly _tag: "Rejected" })["reason"]

/**
 * What the codes of the protocol mean. A block that a node does not know, or says is on another chain (TAPOS_ERROR), is what a node
 * says that is behind: ours is solidified.
 */
const reasons: Readonly<Record<string, Reason>> = {
  SERVER_BUSY: "busy",
  NO_CONNECTION: "busy",
  NOT_ENOUGH_EFFECTIVE_CONNECTION: "busy",
  BLOCK_UNSOLIDIFIED: "busy",
  TAPOS_ERROR: "busy",
  TRANSACTION_EXPIRATION_ERROR: "expired",
  BANDWITH_ERROR: "fee_too_low",
  SIGERROR: "invalid",
  CONTRACT_VALIDATE_ERROR: "invalid",
  CONTRACT_EXE_ERROR: "invalid",
  TOO_BIG_TRANSACTION_ERROR: "invalid"
}

/** What a node's answer to a transaction means. `id` is the transaction's own. */
const meaning = (id: string, { code = "", message = "", result, txid }: typeof Answer.Type): Broadcast => {
  const detail = shortened(`${code}: ${textOf(message)}`)
  // Sent again, it is there already.
  if (code === "DUP_TRANSACTION_ERROR") return { _tag: "Accepted" }
  const reason = reasons[code]
  if (reason !== undefined && result !== true) return { _tag: "Rejected", reason, detail }
  return result === true && txid === id && (code === "" || code === "SUCCESS")
    ? { _tag: "Accepted" }
    : { _tag: "Unknown", detail: `the node answered ${detail} for ${txid ?? "no transaction"}` }
}

/** Gives the node these very bytes, once. `result: true` means that it has them, not that they will be in a block. */
export const broadcastSigned = Effect.fn("TronSender.broadcast")(function* (
  node: Node,
  signed: Uint8Array
): Effect.fn.Return<Broadcast> {
  const raw = rawBytesIn(signed)
  if (raw === undefined) return { _tag: "Rejected", reason: "invalid", detail: "these bytes are no signed transaction" }
  const doing = "broadcast a transaction"
  return yield* orUnreachable(
    node.http.call(doing, "wallet", "broadcasthex", { transaction: bytesToHex(signed) })
  ).pipe(
    Effect.flatMap((answer) => decoded(doing, Answer, answer)),
    Effect.match({
      onFailure: ({ detail }): Broadcast => ({ _tag: "Unknown", detail }),
      onSuccess: (answer) => meaning(idOf(raw), answer)
    })
  )
})
