import { randomBytes, randomUUID } from "node:crypto"
import { Writer } from "@bursar/core"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { makeNetworks, Networks } from "@bursar/core/port/Networks"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, type Tenant, TenantId } from "@bursar/core/tenant/Tenant"
import { addApiKey, setTenantPolicy, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { evmNetwork } from "@bursar/evm/Network"
import { emptyState, layerOver } from "@bursar/memory"
import {
  directoryTtlDefault,
  makeKey,
  PartnerServer,
  ServerConfig,
  toWebHandler,
  type WebHandler
} from "@bursar/server"
import { MasterKeys, MasterKeySecretBox, SealedVault } from "@bursar/vault"
import { Clock, Effect, Layer, Redacted, References, Result } from "effect"

/** This service takes deposits on ethereum alone. Partners register addresses here; a worker would ask the node for what comes to them. */
const layerNetworks = Layer.sync(Networks, () =>
  makeNetworks([
    evmNetwork({
      traits: defaultCurrencies.networks.of("ethereum"),
      contracts: defaultCurrencies.contracts("ethereum"),
      rpcUrl: Redacted.make("http://127.0.0.1:8545")
    })
  ])
)

/** A secret that lives as long as the process, as everything here does. */
const freshSecret = () => Redacted.make(randomBytes(32).toString("base64"))

/** A partner service with nothing in it, and what is needed to let a partner in. */
export interface Service extends WebHandler {
  /** Makes an active partner that may call from the given ranges, and gives its API key. */
  readonly addPartner: (slug: string, ipAllowlist: ReadonlyArray<string>) => Promise<string>
}

/** Assembles a service in memory. */
export const makeService = (): Service => {
  const masterKeys = Result.getOrThrow(
    MasterKeys.parseMasterKeys(Redacted.make(`one:${Redacted.value(freshSecret())}`))
  )
  const keyPepper = freshSecret()
  const keyPrefix = "example"

  const state = emptyState()
  const storage = Writer.layer.pipe(Layer.provideMerge(layerOver(state)))
  const services = Layer.mergeAll(
    layerNetworks,
    MasterKeySecretBox.layer(masterKeys),
    SealedVault.layer(masterKeys, defaultCurrencies.networks),
    // a line for every request is written below this
    Layer.succeed(References.MinimumLogLevel, "Warn"),
    Layer.succeed(ServerConfig, {
      serviceName: "example",
      keyPrefix,
      publicAuthorities: ["example.test"],
      trustedProxies: [],
      keyPepper,
      cursorSecret: freshSecret(),
      operatorToken: freshSecret(),
      currencies: defaultCurrencies,
      directoryTtl: directoryTtlDefault
    })
  ).pipe(Layer.provideMerge(storage))

  const addPartner = Effect.fn("addPartner")(function* (slug: string, ipAllowlist: ReadonlyArray<string>) {
    const tenants = yield* Tenants
    const writer = yield* Writer.Writer
    const tenant: Tenant = {
      id: TenantId(randomUUID()),
      slug,
      name: slug,
      kind: "LIVE",
      status: "ONBOARDING",
      policy: defaultPolicy,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* tenants.create(tenant)
    yield* writer.submit(tenant.id, setTenantPolicy({ ipAllowlist }))
    yield* writer.submit(tenant.id, setTenantStatus("ACTIVE"))
    const { record, secret } = yield* makeKey({
      prefix: keyPrefix,
      tenant,
      label: "first",
      scopes: ["deposits:read", "deposits:write", "ledger:read"],
      pepper: keyPepper
    })
    yield* writer.submit(tenant.id, addApiKey(record))
    return Redacted.value(secret)
  })

  return {
    ...toWebHandler(PartnerServer.routes, services),
    addPartner: (slug, ipAllowlist) => Effect.runPromise(Effect.provide(addPartner(slug, ipAllowlist), storage))
  }
}
