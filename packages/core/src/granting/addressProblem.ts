import { Effect, Result } from "effect"
import { fromHex } from "../base/hex.ts"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Ruling } from "../grant/leavingByGrants.ts"
import type { Network, NetworkTable } from "../money/Network.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"
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

/** What addresses are judged with, over the networks of a table. */
export const makeJudges = Effect.fnUntraced(function* (table: NetworkTable) {
  const networks = yield* Networks
  const queries = yield* Queries
  /** The adapter of a network or, where that is off, of one on which the same key has the same address. */
  const adapterFor = (network: Network): NetworkAdapter | undefined =>
    table.has(network) ? table.siblings(network).flatMap((name) => networks.get(name) ?? [])[0] : undefined
  return { adapterFor, queries }
})

/** What addresses are judged with. */
export type Judges = Effect.Success<ReturnType<typeof makeJudges>>

/** What is wrong with an address that must be the one at its index below an account. */
const isDerived = Effect.fnUntraced(function* (
  { keys }: NetworkAdapter,
  account: string,
  { address, derivationIndex: index }: ShownAddress
) {
  if (index === null) return "it has no index"
  const derived = yield* Effect.catchDefect(keys.derive(account, index, 1), () => Effect.succeed([]))
  return derived[0]?.address === address ? undefined : strange
})

/** What is wrong with an address that the service issued. */
const issuedProblem = Effect.fnUntraced(function* (
  { queries }: Judges,
  { ruling, tenantId }: Judging,
  adapter: NetworkAdapter,
  shown: ShownAddress
) {
  const { seedId } = shown
  const { family } = adapter.traits
  if (seedId === null) return "it has no seed"
  const stored = ruling === undefined ? yield* queries.issuingAccount(tenantId, family) : undefined
  const account = accountByGrants(ruling, { family, seedId, stored })
  return Result.isFailure(account) ? account.failure : yield* isDerived(adapter, account.success, shown)
})

/** What is wrong with an address of a key that the tenant has registered. */
const derivedProblem = Effect.fnUntraced(function* (
  { queries }: Judges,
  { tenantId }: Judging,
  adapter: NetworkAdapter,
  shown: ShownAddress
) {
  const registered = yield* queries.xpubs(tenantId, { includeRetired: true })
  const xpub = registered.find(({ id }) => id === shown.xpubId)
  return xpub === undefined ? "its xpub is not the tenant's" : yield* isDerived(adapter, xpub.canonical, shown)
})

/** What is wrong with an address whose key was imported. */
const importedProblem = Effect.fnUntraced(function* (
  { queries }: Judges,
  { tenantId }: Judging,
  { keys, traits }: NetworkAdapter,
  { address }: ShownAddress
) {
  const found = yield* queries.record(tenantId, ImportedAddressKey, importedAddressKey(traits.family, address))
  if (found === undefined) return "no key was imported for it"
  return keys.addressesOf(fromHex(found.publicKey)).includes(address) ? undefined : "its key is that of another address"
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
  const adapter = judges.adapterFor(network)
  if (adapter === undefined) return Effect.succeed("its network is off, so that it cannot be derived")
  switch (origin) {
    case "ISSUED":
      return issuedProblem(judges, judging, adapter, shown)
    case "DERIVED":
      return derivedProblem(judges, judging, adapter, shown)
    case "IMPORTED":
      return importedProblem(judges, judging, adapter, shown)
  }
}
