import { Effect, Schema } from "effect"
import type { ChainError } from "@bursar/core/port/Chain"
import type { Node } from "../rpc/Node.ts"
import { decoded, inconsistent } from "../rpc/NodeAnswer.ts"
import type { Scope } from "../rpc/Rpc.ts"
import { isEmpty, latestOf, orUnreachable } from "../read/readHeader.ts"
import { Address, Units } from "../rpc/wire.ts"

/** An account that is active. */
export interface Account {
  /** Sun. */
  readonly balance: bigint
  readonly isContract: boolean
}

/** What an account may use without paying: what it has staked, and what everybody has. */
export interface Resources {
  readonly energy: bigint
  readonly stakedBandwidth: bigint
  readonly freeBandwidth: bigint
}

const AccountAnswer = Schema.Struct({
  address: Address,
  balance: Schema.optionalKey(Units),
  type: Schema.optionalKey(Schema.String)
})

/**
 * An account by the blocks that cannot be replaced, or null where it is not active in them. What waits for a block is not counted, nor
 * is what a block that may be replaced did: asked for the newest (`wallet`), java-tron answers with all that waits as if it were done. A node that
 * knows nothing answers as for an account that is not active: so then it is asked whether it has blocks at all.
 */
export const readAccount = Effect.fn("TronSender.readAccount")(function* (
  node: Node,
  address: string,
  scope: Scope = "walletsolidity"
): Effect.fn.Return<Account | null, ChainError> {
  const doing = `read account ${address}`
  const answer = yield* orUnreachable(node.http.call(doing, scope, "getaccount", { address }))
  if (isEmpty(answer)) {
    yield* latestOf(node, scope)
    return null
  }
  const account = yield* decoded(doing, AccountAnswer, answer)
  if (account.address !== address) return yield* inconsistent(doing, `the node answered with ${account.address}`)
  return { balance: BigInt(account.balance ?? 0), isContract: account.type === "Contract" }
})

const left = (limit: number | bigint = 0, used: number | bigint = 0): bigint => {
  const rest = BigInt(limit) - BigInt(used)
  return rest > 0n ? rest : 0n
}

const ResourcesAnswer = Schema.Struct({
  freeNetLimit: Schema.optionalKey(Units),
  freeNetUsed: Schema.optionalKey(Units),
  NetLimit: Schema.optionalKey(Units),
  NetUsed: Schema.optionalKey(Units),
  EnergyLimit: Schema.optionalKey(Units),
  EnergyUsed: Schema.optionalKey(Units)
})

/** What an account may use without paying. An empty answer means nothing, which is the dearer case. */
export const readResources = Effect.fn("TronSender.readResources")(function* (
  node: Node,
  address: string
): Effect.fn.Return<Resources, ChainError> {
  const doing = `read the resources of ${address}`
  const answer = yield* orUnreachable(node.http.call(doing, "wallet", "getaccountresource", { address }))
  const resources = yield* decoded(doing, ResourcesAnswer, answer)
  return {
    energy: left(resources.EnergyLimit, resources.EnergyUsed),
    stakedBandwidth: left(resources.NetLimit, resources.NetUsed),
    freeBandwidth: left(resources.freeNetLimit, resources.freeNetUsed)
  }
})
