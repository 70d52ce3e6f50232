import { grantedLimits } from "@bursar/core/grant/GrantState"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { AuditSealer } from "@bursar/core/port/AuditSealer"
import { GrantWitness } from "@bursar/core/port/GrantWitness"
import { KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { SignerTurn } from "@bursar/core/port/SignerTurn"
import { SigningView } from "@bursar/core/port/SigningView"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import {
  type KeptGrants,
  layerReadOnly,
  limitsOfGrants,
  listenSigner,
  makeAuditSealer,
  makeGrantWitness,
  makeTurnLook,
  openStore,
  makeKeptGrants,
  RememberingSigner,
  type SignerStore,
  type SignerStoreOptions,
  StoreUnusable,
  type StoreWord,
  takeRestored,
  tellingLimits,
  tellingQuorums,
  watchFleet,
  watchProgress,
  watchTenants,
  watchTurn
} from "@bursar/signer"
import { Clock, Effect, Layer } from "effect"
import { trustOf } from "../config/grantRoot.ts"
import { environmentOf } from "../config/NetworkSettings.ts"
import type { SignSettings } from "../config/Settings.ts"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"
import { provable } from "../config/SignerSettings.ts"
import { layerNetworks } from "./adapters.ts"
import { currencyProblems } from "./currencyProblems.ts"
import { layerKnownReadOnly } from "./knownReadOnly.ts"
import { layerLogs } from "./logs.ts"
import { showMetrics } from "./metrics.ts"
import { checkKnownKeys, checkMasterKeys } from "./checkMasterKeys.ts"
import { checkNewRoot, showsChains } from "./newRoot.ts"
import { auditKeysOf, layerProver, layerSigner, layerVault } from "./vault.ts"

/**
 * Without a root no store begins where grants were gone by: a lost setting would let rows decide who is paid, and the new store would not show it.
 * A store that is there goes on: while the first grants are made, the signer has no root yet.
 */
const mayBeginWithoutRoot = Effect.fnUntraced(function* (wentByGrants: boolean) {
  const refused = (seen: string) =>
    new StoreUnusable({
      reason: `GRANT_ROOT is missing, and ${seen}. Without a root, rows would decide who may be paid.`
    })
  if (wentByGrants) return yield* refused("the store of this signer says that it went by grants")
  const isGranted = yield* Effect.mapError(
    showsChains,
    () =>
      new StoreUnusable({ reason: "the database does not answer, and without GRANT_ROOT it has to show no grants." })
  )
  if (isGranted) return yield* refused("the database has grants")
})

/** What the signer goes by instead of rows, where the settings have a root. */
const grantsOf = Effect.fnUntraced(function* ({ currencies, grantRoot }: SignSettings, store: SignerStore) {
  if (grantRoot === null) {
    // a lost setting would let whoever writes to the database decide who is paid
    if (store.register.wentByGrants())
      return yield* new SettingsInvalid({
        mistakes: [
          "GRANT_ROOT is missing, and the store of this signer says that it went by grants. Without a root, rows of the database would decide who may be paid"
        ]
      })
    yield* Effect.logWarning("signer.no_grants").pipe(
      Effect.annotateLogs({ detail: "GRANT_ROOT is not set: rows of the database decide who may be paid" })
    )
    return undefined
  }
  // what this signer has seen counts, whatever the database shows
  if (!store.register.hasGrantHeads()) yield* checkNewRoot(grantRoot)
  // before any chain is read: while chains are hidden, nothing else tells a start without the root
  if (!store.register.wentByGrants())
    yield* store.commit({ _tag: "GrantsFollowed", at: yield* Clock.currentTimeMillis })
  const chains = yield* GrantStore
  const kept = yield* makeKeptGrants({ trust: yield* trustOf(grantRoot), chains, store })
  const grants = tellingQuorums(tellingLimits(kept, currencies))
  yield* Effect.forkScoped(watchFleet(grants))
  yield* Effect.forkScoped(watchTenants({ grants, chains, store }))
  return grants
})

/**
 * Compares the currencies with what the database knows of them, and remembers nothing: with other decimals a limit or a payment would be of
 * another amount. What is bound to nothing yet is bound by `bursar serve` or `bursar work`. A signer that is told nothing of a network takes it for a main
 * one, and refuses the payments of SANDBOX tenants there: only what it takes for test money has to be that.
 */
const compareCurrencies = Effect.fnUntraced(function* ({ currencies, networks }: SignSettings) {
  const { all } = yield* KnownCurrencies
  const test = networks.filter((one) => environmentOf(one) === "SANDBOX")
  const mistakes = currencyProblems(yield* all, currencies, new Set(test.map(({ network }) => network)))
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes })
})

const limitsBy = (grants: KeptGrants, currencies: CurrencyTable) => (tenantId: TenantId) => {
  const tenant = grants.lastSeen(tenantId)
  return tenant && limitsOfGrants(grantedLimits(tenant), currencies)
}

/** What an operator says to a recovery (`SignerStoreOptions`). */
type Recovering = Pick<SignerStoreOptions, "givingUp" | "wrongUntil">

/** Opens the store of a signer. Without a root none begins where there are grants. */
const storeOf = Effect.fnUntraced(function* (
  { grantRoot, store }: SignSettings,
  said: Recovering & { readonly word?: StoreWord } = {}
) {
  const chains = yield* GrantStore
  const mayBegin = (wentByGrants: boolean) =>
    Effect.provideService(mayBeginWithoutRoot(wentByGrants), GrantStore, chains)
  return yield* openStore({ directory: store, ...said, ...(grantRoot === null && { mayBegin }) }, yield* SigningView)
})

/** Holds the keys until the scope closes; gives what may be asked of them, in this process, and what fails once nothing can be signed before a new start. */
export const openSigner = Effect.fn("assemble.openSigner")(function* (
  settings: SignSettings,
  word?: StoreWord,
  recovering?: Recovering
) {
  const { currencies, limits, networks, ownFeesPerDay, publicAuthorities, requestAgeMaxMs, topUpsPerDay } = settings
  yield* compareCurrencies(settings)
  const verdicts = yield* checkMasterKeys(settings)
  const turn = yield* (yield* SignerTurn).take
  const store = yield* storeOf(settings, { ...(word && { word }), ...recovering })
  yield* checkKnownKeys(settings, store, verdicts)
  const looking = makeTurnLook(store, turn)
  yield* looking.look
  yield* Effect.forkScoped(watchTurn(looking))
  yield* Effect.forkScoped(watchProgress(store))
  const grants = yield* grantsOf(settings, store)
  const remembering = RememberingSigner.layer({
    currencies,
    store,
    isAlone: looking.isAlone,
    limits,
    requestAgeMaxMs,
    topUpsPerDay,
    ownFeesPerDay,
    proving: provable(networks),
    ...(grants && { grantedLimits: limitsBy(grants, currencies) })
  }).pipe(Layer.provide(layerSigner(settings, { currencies, publicAuthorities, ...(grants && { grants }) })))
  const audit = Layer.effect(AuditSealer, makeAuditSealer({ keys: auditKeysOf(settings), store }))
  const witness = grants === undefined ? Layer.empty : Layer.succeed(GrantWitness, makeGrantWitness({ grants, store }))
  const services = Layer.mergeAll(layerVault(settings), layerProver(settings), remembering, audit, witness).pipe(
    Layer.provide([layerReadOnly, layerNetworks(networks, currencies).pipe(Layer.provide(layerKnownReadOnly))])
  )
  return { services: yield* Layer.build(services), stopped: store.stopped }
})

/** Holds the keys, and listens for those who may ask for their use, until the scope closes. Gives what fails once nothing can be signed before a new start. */
export const runSigner = Effect.fn("assemble.runSigner")(function* (
  settings: SignSettings,
  word?: StoreWord,
  recovering?: Recovering
) {
  const { services, stopped } = yield* openSigner(settings, word, recovering)
  const networks = settings.currencies.networks.all.map(({ name }) => name)
  const { url } = yield* Effect.provide(listenSigner({ ...settings.listen, networks }), services)
  yield* Effect.logInfo("signer.started").pipe(Effect.annotateLogs({ at: url }))
  return stopped
})

/** The ports of the database that a signer stands on. It reads alone. */
export const layerSignerStorage = ({ databaseConnections, databaseUrl }: SignSettings) =>
  layerPostgres({ url: databaseUrl, maxConnections: databaseConnections, applicationName: "bursar sign" })

/** Signs until it is interrupted, or until its store can remember nothing any more: then it fails with the reason. */
export const sign = (settings: SignSettings, word?: StoreWord, recovering?: Recovering) =>
  Effect.flatten(Effect.tap(runSigner(settings, word, recovering), showMetrics(settings))).pipe(
    Effect.scoped,
    Effect.provide(layerSignerStorage(settings)),
    Effect.provide(layerLogs(settings))
  )

const nothingSeen = new StoreUnusable({
  reason:
    "the store is empty, so there is nothing that it has seen of the database: use the directory of the signer's store."
})

/** Has the store of a signer that does not run take the database as it was restored, where that gives up nothing but what is named (`takeRestored`). Begins no store. */
export const takeRestoredStore = Effect.fn("assemble.takeRestoredStore")(function* (
  { store }: SignSettings,
  givingUp?: string
) {
  yield* (yield* SignerTurn).take
  const mayBegin = () => Effect.fail(nothingSeen)
  return yield* takeRestored(yield* openStore({ directory: store, mayBegin }, yield* SigningView), givingUp)
}, Effect.scoped)

/** The same over the database of the settings. */
export const signRestored = (settings: SignSettings, givingUp?: string) =>
  takeRestoredStore(settings, givingUp).pipe(
    Effect.provide(layerSignerStorage(settings)),
    Effect.provide(layerLogs(settings))
  )
