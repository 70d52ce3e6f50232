import { Effect, Result } from "effect"
import { fromHex } from "../base/hex.ts"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Ruling } from "../grant/Ruling.ts"
import type { KeyFamily, Network, NetworkTable } from "../money/Network.ts"
import type { NetworkKeys } from "../port/NetworkAdapter.ts"
import { Networks } from "../port/Networks.ts"
import { Queries } from "../store/Queries.ts"
import { ImportedAddressKey, importedAddressKey } from "../sweep/ImportedAddressKey.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { accountByGrants } from "./issuingByGrants.ts"

/** An address as it is about to be shown, with what it is said to follow from. */
export type ShownAddress = Pick<
  DepositAddress,
  "network" | "address" | "origin" | "xpubId" | "seedId" | "derivationIndex"
>

/** A tenant whose addresses are judged, and what by. */
export interface Judging {
  readonly tenantId: TenantId
  readonly ruling: Ruling
}

const strange = "it is not the address of its index"

/** How addresses of a network follow from keys. */
interface Deriving {
  readonly family: KeyFamily
  /** The ways of all chains of its family where the network is off: which of them it was on is not known then. */
  readonly ways: ReadonlyArray<NetworkKeys>
}

/** An operator's own networks are all of this family: that is known of one that was taken out of the configuration, too. */
const ownFamily: KeyFamily = "evm"

/** What addresses are judged with, over the networks of a table. */
export const makeJudges = Effect.fnUntraced(function* (table: NetworkTable) {
  const networks = yield* Networks
  const queries = yield* Queries
  /** By the adapter of the network, of one on which the same key has the same address or, where these are off, without any. */
  const derivingOn = (network: Network): Deriving => {
    const family = table.has(network) ? table.of(network).family : ownFamily
    const like = table.has(network)
      ? table.siblings(network)
      : table.all.filter((one) => one.family === family).map(({ name }) => name)
    const [on] = like.flatMap((name) => networks.get(name) ?? [])
    return { family, ways: on === undefined ? (networks.familyKeys.get(family) ?? []) : [on.keys] }
  }
  return { derivingOn, queries }
})

/** What addresses are judged with. */
export type Judges = Effect.Success<ReturnType<typeof makeJudges>>

/** What is wrong with an address that must be the one at its index below an account. */
const isDerived = Effect.fnUntraced(function* (
  { ways }: Deriving,
  account: string,
  { address, derivationIndex: index }: ShownAddress
) {
  if (index === null) return "it has no index"
  const derived = yield* Effect.forEach(ways, (keys) =>
    // what is no account's key of a chain throws
    Effect.catchDefect(
      Effect.suspend(() => keys.derive(account, index, 1)),
      () => Effect.succeed([])
    )
  )
  return derived.some(([first]) => first?.address === address) ? undefined : strange
})

/** What is wrong with an address that the service issued. */
const issuedProblem = Effect.fnUntraced(function* (
  { queries }: Judges,
  { ruling, tenantId }: Judging,
  deriving: Deriving,
  shown: ShownAddress
) {
  const { seedId } = shown
  const { family } = deriving
  if (seedId === null) return "it has no seed"
  const stored = ruling === undefined ? yield* queries.issuingAccount(tenantId, family) : undefined
  const account = accountByGrants(ruling, { family, seedId, stored })
  return Result.isFailure(account) ? account.failure : yield* isDerived(deriving, account.success, shown)
})

/** What is wrong with an address of a key that the tenant has registered. */
const derivedProblem = Effect.fnUntraced(function* (
  { queries }: Judges,
  { tenantId }: Judging,
  deriving: Deriving,
  shown: ShownAddress
) {
  const registered = yield* queries.xpubs(tenantId, { includeRetired: true })
  const xpub = registered.find(({ id }) => id === shown.xpubId)
  return xpub === undefined ? "its xpub is not the tenant's" : yield* isDerived(deriving, xpub.canonical, shown)
})

/** What is wrong with an address whose key was imported. */
const importedProblem = Effect.fnUntraced(function* (
  { queries }: Judges,
  { tenantId }: Judging,
  { family, ways }: Deriving,
  { address }: ShownAddress
) {
  const found = yield* queries.record(tenantId, ImportedAddressKey, importedAddressKey(family, address))
  if (found === undefined) return "no key was imported for it"
  const publicKey = fromHex(found.publicKey)
  return ways.some((keys) => keys.addressesOf(publicKey).includes(address))
    ? undefined
    : "its key is that of another address"
})

/** What is wrong with an address, undefined where it may be shown. */
export const addressProblem = (
  judges: Judges,
  judging: Judging,
  shown: ShownAddress
): Effect.Effect<string | undefined, StorageError> => {
  const { derivationIndex, network, origin, seedId, xpubId } = shown
  if (origin === "REGISTERED")
    return Effect.succeed(
      seedId === null && xpubId === null && derivationIndex === null
        ? undefined
        : "it names a key, and was registered without one"
    )
  const deriving = judges.derivingOn(network)
  switch (origin) {
    case "ISSUED":
      return issuedProblem(judges, judging, deriving, shown)
    case "DERIVED":
      return derivedProblem(judges, judging, deriving, shown)
    case "IMPORTED":
      return importedProblem(judges, judging, deriving, shown)
  }
}
