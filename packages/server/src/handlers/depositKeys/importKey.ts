import { randomUUID } from "node:crypto"
import type { ApiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import type { DepositKey, DepositKeyIn } from "@bursar/api/wire/DepositKey"
import { type ImportedAddress, importDepositKey } from "@bursar/core/incoming/importDepositKey"
import type { Command } from "@bursar/core/engine/Command"
import { Refusal, type RefusalCode } from "@bursar/core/base/Refusal"
import { rejectWith } from "@bursar/core/engine/rejectWith"
import { toIso } from "@bursar/core/base/Timestamp"
import type { NetworkTable } from "@bursar/core/money/Network"
import { keyNamesOf, Networks, parseAddress } from "@bursar/core/port/Networks"
import { isSwept } from "@bursar/core/sweep/isSwept"
import { Vault, wrappingAlgorithms } from "@bursar/core/port/Vault"
import { TenantId, type TenantKind } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { handleIdempotent } from "../../idempotency/handleIdempotent.ts"
import { sourceName } from "../../wire/sourceName.ts"
import { showing } from "../addresses/showing.ts"
import { findNetwork } from "../network.ts"
import { keysOrUnavailable } from "../keysOrUnavailable.ts"

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u

const refuse = (code: RefusalCode, message: string): Command<never> =>
  rejectWith("ImportDepositKey", new Refusal({ code, message }))

const toWire = ({ address, key }: ImportedAddress, serviceName: string, networks: NetworkTable): DepositKey => ({
  network: key.network,
  address: key.address,
  origin: sourceName(address.origin, serviceName),
  // a key of another address is refused
  address_matches: true,
  sweeps_enabled: isSwept(address, networks) === true,
  checked_by: "vault",
  wrapped_key_id: key.id,
  algorithm: key.algorithm,
  source_system: key.sourceSystem,
  source_reference: key.sourceReference,
  imported_at: toIso(key.createdAt)
})

/**
 * POST /v1/deposit-keys: takes over the key of an address. It is unwrapped and compared before anything is stored, and what is
 * stored, address, sealed key and claim, is one commit.
 */
export const importKey = Effect.gen(function* () {
  const vault = yield* Vault
  const networks = yield* Networks
  const { currencies, serviceName } = yield* ServerConfig
  const answer = yield* handleIdempotent
  const show = yield* showing

  const prepare = (
    tenantId: TenantId,
    kind: TenantKind,
    given: DepositKeyIn
  ): Effect.Effect<Command<ImportedAddress>, ApiError> =>
    Effect.gen(function* () {
      const { network } = given
      const found = findNetwork(networks, kind, network)
      if (Result.isFailure(found)) return rejectWith("ImportDepositKey", found.failure)
      const adapter = found.success
      const parsed = adapter.parseAddress(given.address)
      if (Result.isFailure(parsed)) return refuse("address_invalid", parsed.failure)
      const wanted = given.algorithm ?? wrappingAlgorithms[0]
      const algorithm = wrappingAlgorithms.find((one) => one === wanted)
      if (algorithm === undefined) {
        return refuse("wrapped_key_unreadable", `The algorithm must be one of ${wrappingAlgorithms.join(", ")}.`)
      }
      if (!base64.test(given.wrapped_b64)) return refuse("wrapped_key_unreadable", "wrapped_b64 is not base64.")
      const keyId = randomUUID()
      const bytes = Buffer.from(given.wrapped_b64, "base64")
      const unwrapped = yield* keysOrUnavailable(vault.importKey({ tenantId, keyId, network, bytes, algorithm })).pipe(
        Effect.catchTag("WrappedKeyUnreadable", ({ message }) =>
          Effect.succeed(refuse("wrapped_key_unreadable", message))
        )
      )
      if (!("publicKey" in unwrapped)) return unwrapped
      const address = parsed.success
      if (!adapter.keys.addressesOf(unwrapped.publicKey).includes(address)) {
        return refuse("address_invalid", "The key is that of another address; nothing was stored.")
      }
      return importDepositKey(
        {
          network,
          address,
          keys: keyNamesOf(networks, network, unwrapped.publicKey),
          keyId,
          sealed: unwrapped.sealed,
          publicKey: Buffer.from(unwrapped.publicKey).toString("hex"),
          algorithm,
          sourceSystem: given.source_system ?? null,
          sourceReference: given.source_reference ?? null
        },
        currencies
      )
    })

  return HttpApiBuilder.handler(PartnerApi, "depositKeys", "importKey", ({ endpoint, headers, payload }) =>
    Effect.gen(function* () {
      const { tenantId, tenantKind } = yield* Caller
      return yield* answer({
        endpoint,
        tenantId,
        keyHeader: headers["idempotency-key"],
        payload,
        prepare: () => prepare(TenantId(tenantId), tenantKind, payload),
        render: (imported) => ({ ...toWire(imported, serviceName, currencies.networks) }),
        resourceId: ({ key }) => key.id,
        shows: show.ofKey(tenantId, {
          network: payload.network,
          address: Result.getOrElse(parseAddress(networks, payload.network, payload.address), () => payload.address)
        })
      })
    })
  )
})
