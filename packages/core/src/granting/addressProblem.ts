import { Effect, Result } from "effect"
import { fromHex } from "../base/hex.ts"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { Xpub } from "../address/Xpub.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Ruling } from "../grant/Ruling.ts"
import type { KeyFamily, Network, NetworkTable } from "../money/Network.ts"
import type { NetworkKeys } from "../port/NetworkAdapter.ts"
import { Networks } from "../port/Networks.ts"
import { Queries } from "../store/Queries.ts"
import { ImportedAddressKey, importedAddressKey } from "../sweep/ImportedAddressKey.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { accountByGrants } from "./issuingByGrants.ts"
import { makeRegisters } from "./registeredAddresses.ts"
import { makeRegistrations, type RegistrationRule, registrationRule } from "./registeredByGrants.ts"

/** An address as it is about to be shown, with what it is said to follow from. */
export type ShownAddress = Pick<
  DepositAddress,
  "network" | "address" | "origin" | "xpubId" | "seedId" | "derivationIndex" | "registrations"
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
  const registeredBy = makeRegistrations()
  const registers = makeRegisters(networks, table)
  /** By the adapter of the network, of one on which the same key has the same address or, where these are off, without any. */
  const derivingOn = (network: Network): Deriving => {
    const family = table.has(network) ? table.of(network).family : ownFamily
    const like = table.has(network)
      ? table.siblings(network)
      : table.all.filter((one) => one.family === family).map(({ name }) => name)
    const [on] = like.flatMap((name) => networks.get(name) ?? [])
    return { family, ways: on === undefined ? (networks.familyKeys.get(family) ?? []) : [on.keys] }
  }
  return { derivingOn, queries, registeredBy, registers }
})

/** What addresses are judged with. */
export type Judges = Effect.Success<ReturnType<typeof makeJudges>>

/** The addresses of a chain that some keys give: what is no key of it throws, and gives none. */
const addressesBy = (derive: () => Effect.Effect<ReadonlyArray<string>>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.catchDefect(Effect.suspend(derive), () => Effect.succeed([]))

/** What is wrong with an address that must be the one at its index below an account. */
const isDerived = Effect.fnUntraced(function* (
  { ways }: Deriving,
  account: string,
  { address, derivationIndex: index }: ShownAddress
) {
  if (index === null) return "it has no index"
  const derived = yield* Effect.forEach(ways, (keys) =>
    addressesBy(() => Effect.map(keys.derive(account, index, 1), (found) => found.map((one) => one.address)))
  )
  return derived.flat().includes(address) ? undefined : strange
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

/** A key that a tenant has registered, as it is about to be shown or derived from. */
export type ShownXpub = Pick<Xpub, "id" | "network" | "xpub" | "canonical">

const unsigned = "no signed request that is kept has registered its key"

/**
 * What is wrong with a key that a tenant has registered. Where the granted policy demands signatures, one that was granted must have signed it, under
 * this registration or under another one of the same key: a key that was registered before is registered again.
 */
const xpubProblem = Effect.fnUntraced(function* (
  { derivingOn, queries, registeredBy }: Judges,
  { ruling, tenantId }: Judging,
  shown: ShownXpub,
  registered: ReadonlyArray<ShownXpub>
): Effect.fn.Return<string | undefined, StorageError> {
  const rule = registrationRule(ruling, "xpubs")
  if (rule._tag === "Rows") return undefined
  if (rule._tag === "Unusable") return rule.reason
  const { ways } = derivingOn(shown.network)
  const isThat = (text: string) =>
    ways.some((keys) => Result.getOrUndefined(keys.parse(text))?.canonical === shown.canonical)
  if (!isThat(shown.xpub)) return "it is not the key that its row says"
  for (const { id } of registered.filter(({ canonical }) => canonical === shown.canonical)) {
    const found = yield* registeredBy({ queries, tenantId, id, signingKeys: rule.signingKeys })
    if (Result.isSuccess(found) && found.success._tag === "Xpub" && isThat(found.success.xpub)) return undefined
  }
  return unsigned
})

/** What is wrong with the keys that a tenant has registered; the first of some that may not be shown. */
export const xpubsProblem = Effect.fnUntraced(function* (
  judges: Judges,
  judging: Judging,
  shown: ReadonlyArray<ShownXpub>
) {
  const registered = yield* judges.queries.xpubs(judging.tenantId, { includeRetired: true })
  for (const one of shown) {
    const reason = yield* xpubProblem(judges, judging, one, registered)
    if (reason !== undefined) return { network: one.network, address: one.xpub, reason }
  }
  return undefined
})

/** What is wrong with an address of a key that the tenant has registered. */
const derivedProblem = Effect.fnUntraced(function* (
  judges: Judges,
  judging: Judging,
  deriving: Deriving,
  shown: ShownAddress
) {
  const registered = yield* judges.queries.xpubs(judging.tenantId, { includeRetired: true })
  const xpub = registered.find(({ id }) => id === shown.xpubId)
  if (xpub === undefined) return "its xpub is not the tenant's"
  return (yield* xpubProblem(judges, judging, xpub, registered)) ?? (yield* isDerived(deriving, xpub.canonical, shown))
})

const keyless = ({ derivationIndex, seedId, xpubId }: ShownAddress): boolean =>
  seedId === null && xpubId === null && derivationIndex === null

/** What is wrong with the requests that an address which the tenant has registered names, by a rule: one that counts is enough. */
const requestProblem = Effect.fnUntraced(function* (
  { queries, registeredBy, registers }: Judges,
  tenantId: TenantId,
  rule: RegistrationRule,
  shown: ShownAddress
) {
  if (rule._tag === "Rows") return undefined
  if (rule._tag === "Unusable") return rule.reason
  let reason = "nobody has signed its registration"
  for (const { id } of shown.registrations) {
    const found = yield* registeredBy({ queries, tenantId, id, signingKeys: rule.signingKeys })
    if (Result.isSuccess(found) && registers(found.success, shown)) return undefined
    reason = Result.isFailure(found) ? found.failure : "the signed request registers another address"
  }
  return reason
})

/** What is wrong with an address that the tenant has registered: where the granted policy demands signatures, one that was granted must have signed it. */
const registeredProblem = (judges: Judges, { ruling, tenantId }: Judging, shown: ShownAddress) =>
  keyless(shown)
    ? requestProblem(judges, tenantId, registrationRule(ruling, "addresses"), shown)
    : Effect.succeed("it names a key, and was registered without one")

/**
 * Whether another signed request may take the place of those that a registered address names: they count for nothing, whatever the granted
 * policy demands now. Without a root of grants none counts; where the chains of grants are broken, nobody can say, and they stay.
 */
export const isReplaceable = Effect.fnUntraced(function* (
  judges: Judges,
  { ruling, tenantId }: Judging,
  shown: ShownAddress
) {
  const rule = registrationRule(ruling)
  if (rule._tag !== "Signed") return rule._tag === "Rows"
  return (yield* requestProblem(judges, tenantId, rule, shown)) !== undefined
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
  const addresses = yield* Effect.forEach(ways, (keys) =>
    addressesBy(() => Effect.succeed(keys.addressesOf(fromHex(found.publicKey))))
  )
  return addresses.flat().includes(address) ? undefined : "its key is that of another address"
})

/** What is wrong with an address, undefined where it may be shown. */
export const addressProblem = (
  judges: Judges,
  judging: Judging,
  shown: ShownAddress
): Effect.Effect<string | undefined, StorageError> => {
  const { network, origin } = shown
  if (origin === "REGISTERED") return registeredProblem(judges, judging, shown)
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
