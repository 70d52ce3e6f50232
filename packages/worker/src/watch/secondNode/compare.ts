import { hashesOf } from "@bursar/core/incoming/attemptOf"
import type { Block, NodeOpinion, Transfer } from "@bursar/core/port/Chain"
import type { NodeStatement } from "@bursar/core/port/HeldArrivals"
import { WatchState } from "@bursar/core/store/WatchState"
import { Effect, Result } from "effect"
import { withFormerIdentity } from "../formerIdentity.ts"
import { receiversOf } from "../matchTransfers.ts"
import type { Watch } from "../Watch.ts"
import type { Claimed } from "./SecondNode.ts"

/** How a node stands to what is claimed. */
export interface Testimony extends NodeStatement {
  readonly stand: "agrees" | "denies" | "replaced" | "silent"
  /** What one that `denies` has in its place, in its copy of that very block. */
  readonly instead?: Instead
}

/** A block as a node gives it, and what stands in it in the place of an arrival; null where nothing does. */
export interface Instead {
  readonly block: Block
  readonly transfer: Transfer | null
}

/** A memo in words. */
export const memoText = (memo: Transfer["memo"]): string =>
  memo === null || memo === undefined ? "no memo" : `the memo ${memo.type}:${memo.value}`

/** What a node says of a transfer otherwise than it is claimed, in words; undefined where it says the same. */
const otherwise = (
  watch: Watch,
  claimed: Claimed,
  transfer: Transfer,
  takenBy: ReadonlySet<string>
): string | undefined => {
  const { currencies } = watch
  const currency = currencies.byAsset(claimed.network, transfer.contract)?.code
  if (currency !== claimed.currency) return `it moves ${currency ?? transfer.contract ?? "the native asset"}`
  if (transfer.units !== claimed.units) return `it moves ${transfer.units} base units`
  const first = receiversOf(watch, transfer).find((address) => address === claimed.address || takenBy.has(address))
  if (first !== claimed.address) return `it pays ${transfer.to}`
  // where a node names no sender it says nothing of it: that is for the caller
  if (transfer.from !== null && transfer.from !== claimed.from) return `it comes from ${transfer.from}`
  if (claimed.memo !== undefined && memoText(transfer.memo) !== memoText(claimed.memo))
    return `it has ${memoText(transfer.memo)}`
  return undefined
}

/** Why a copy of a block that lacks an arrival, or has another in its place, is no denial; undefined where it is one. */
const excuse = (
  { currencies }: Watch,
  claimed: Claimed,
  { found, unseen }: { readonly found: Transfer | null; readonly unseen: string | undefined },
  { unread = [] }: Block
): string | undefined => {
  const hidden = unread.find((one) => hashesOf(one).includes(claimed.txHash))
  if (hidden !== undefined) return `it could not read the transaction: ${hidden.reason}`
  const isNative = currencies.byAsset(claimed.network, null)?.code === claimed.currency
  return found === null && isNative && unseen !== undefined ? `it does not see ${unseen}` : undefined
}

/** What a node's own copy of a block says of an arrival in it. */
const inBlock = Effect.fnUntraced(function* (watch: Watch, claimed: Claimed, { transfers }: Block) {
  // what a transaction of our own brought is recorded under the hash of ours, though the network lists it under that of another
  const own = transfers.filter((one) => hashesOf(one).includes(claimed.txHash))
  const found = withFormerIdentity(watch, own, [claimed]).find(
    ({ transferIndex }) => transferIndex === claimed.transferIndex
  )
  if (found === undefined) return { contradiction: "it has the block without such a transfer", found: null }
  // a more exact receiver that somebody has would be the one that is credited
  const others = receiversOf(watch, found).filter((address) => address !== claimed.address)
  const state = yield* WatchState
  const owned =
    others.length === 0 ? [] : yield* state.owners(watch.currencies.networks.siblings(claimed.network), others)
  return { contradiction: otherwise(watch, claimed, found, new Set(owned.map(({ address }) => address))), found }
})

/**
 * What a node says of an arrival. A copy of the block that cannot be read, or is not of that block, says nothing; nor does one of which the
 * node says itself that what is claimed may be missing from it, or one that leaves the sender out where it is claimed.
 */
export const testimonyOf = Effect.fn("watch.testimony")(function* (
  watch: Watch,
  claimed: Claimed,
  { node, operator, says }: NodeOpinion,
  readBlock: Effect.Effect<Result.Result<Block, string>>
) {
  const made = (stand: Testimony["stand"], text: string): Testimony => ({ node, operator, stand, says: text })
  if (says._tag === "Silent") return made("silent", says.detail)
  if (!says.isFinal) return made("silent", `block ${claimed.blockNumber} is not final there`)
  if (says._tag === "Other") return made("replaced", `it has block ${says.hash} at height ${claimed.blockNumber}`)
  const block = yield* readBlock
  if (Result.isFailure(block)) return made("silent", block.failure)
  if (block.success.hash !== claimed.blockHash) return made("silent", "it gives another block than it was asked for")
  const { contradiction, found } = yield* inBlock(watch, claimed, block.success)
  if (contradiction === undefined)
    return claimed.from !== null && found?.from === null
      ? made("silent", "it does not say from whom it comes")
      : made("agrees", "it says the same")
  // what a node knows that it did not see, it does not deny
  const excused = excuse(watch, claimed, { found, unseen: block.success.unseen ?? says.unseen }, block.success)
  return excused === undefined
    ? { ...made("denies", contradiction), instead: { block: block.success, transfer: found } }
    : made("silent", excused)
})

const insteadText = ({ transfer }: Instead): string =>
  transfer === null
    ? "nothing"
    : [transfer.to, transfer.contract, transfer.units, transfer.from, memoText(transfer.memo)].join("|")

/**
 * What stands in the place of an arrival in truth, as far as statements of nodes tell: two operators say the same at least, and more of them than say what is
 * claimed. Undefined where they do not.
 */
export const truthOf = (testimonies: ReadonlyArray<Testimony>): Instead | undefined => {
  const agreeing = testimonies.filter(({ stand }) => stand === "agrees").length
  const said = testimonies.flatMap(({ instead }) => instead ?? [])
  const same = [...Map.groupBy(said, insteadText).values()].find(({ length }) => length > 1 && length > agreeing)
  return same?.[0]
}

/**
 * What statements of nodes come to. Two operators at least must say the same and none otherwise. Where every node has another block, there
 * is nothing to dispute: the watcher finds so itself.
 */
export const verdictOf = (testimonies: ReadonlyArray<Testimony>): "agreed" | "disputed" | "waiting" => {
  const agreeing = testimonies.filter(({ stand }) => stand === "agrees").length
  const denying = testimonies.filter(({ stand }) => stand === "denies").length
  const replaced = testimonies.filter(({ stand }) => stand === "replaced").length
  if (denying > 0 || (replaced > 0 && agreeing > 0)) return "disputed"
  return agreeing > 1 && replaced === 0 ? "agreed" : "waiting"
}
