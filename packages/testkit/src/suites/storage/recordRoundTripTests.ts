import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { Read } from "@bursar/core/engine/Read"
import { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/port/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { apiKeyFields } from "../../fixtures/keys.ts"
import {
  bareAddress,
  bareDeposit,
  bareEndpoint,
  bareOperation,
  difficultText,
  hugeUnits
} from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { roundTrip } from "./roundTrip.ts"
import type { StorageIt } from "./services.ts"

/** Addresses, deposits, keys, endpoints and tenants come back as they were written, with all their fields. */
export const recordRoundTripTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "addresses and deposits round-trip, and later puts replace every field that can change",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const writer = yield* Writer
        const queries = yield* Queries
        const putAddresses = writing((view) => {
          const bare = bareAddress(view)
          const full = bareAddress(view, {
            network: "base",
            address: bare.address,
            origin: "DERIVED",
            xpubId: view.newId(),
            seedId: view.newId(),
            derivationIndex: 2 ** 31 - 1,
            watchFromBlock: 9_000_000_000,
            registeredAtBlock: 9_000_000_001,
            sweepHold: { kind: "OPERATOR", reason: difficultText, heldAt: view.now - 7 },
            watchNowUntil: view.now + 3_600_000,
            siblingOf: bare.id
          })
          return [bare, full].flatMap(
            (address) =>
              [
                { _tag: "AddressPut", address },
                { _tag: "AddressClaimed", network: address.network, address: address.address, addressId: address.id }
              ] as const
          )
        })
        const { seen, written } = yield* roundTrip(
          tenant,
          putAddresses,
          (changes) =>
            changes.flatMap((change): ReadonlyArray<Read> =>
              change._tag === "AddressPut"
                ? [{ _tag: "Address", id: change.address.id }]
                : [{ _tag: "LiveAddress", network: change.network, address: change.address }]
            ),
          (view, changes) =>
            changes.map((change) =>
              change._tag === "AddressPut"
                ? view.address(change.address.id)
                : view.liveAddress(change.network, change.address)
            )
        )
        const addresses = written.flatMap((change): ReadonlyArray<DepositAddress> =>
          change._tag === "AddressPut" ? [change.address] : []
        )
        assert.deepStrictEqual(
          seen,
          addresses.flatMap((record) => [record, { owner: tenant.id, record }])
        )
        assert.deepStrictEqual(
          yield* queries.addresses(tenant.id, { includeRetired: false, limit: 10 }),
          [...addresses].toSorted((left, right) => (left.id < right.id ? -1 : 1))
        )
        const [bare, full] = addresses
        if (bare === undefined || full === undefined) return assert.fail("no addresses")

        const changedAddress = { ...full, sweepHold: null, watchNowUntil: null, retiredAt: full.createdAt + 1 }
        const operation = yield* writer.submit(
          tenant.id,
          writing((view) => [{ _tag: "OperationPut", operation: bareOperation(view) }])
        )
        const creditedBy = operation[0]?.operation.id ?? null
        const deposits = yield* writer.submit(
          tenant.id,
          writing((view) => [
            { _tag: "AddressPut", address: changedAddress },
            { _tag: "DepositPut", deposit: bareDeposit(view, bare, { block: null, confirmations: 0 }) },
            {
              _tag: "DepositPut",
              deposit: bareDeposit(view, full, {
                transferIndex: 2_000_000_000,
                currency: "ETH_BASE",
                units: hugeUnits,
                fromAddress: difficultText,
                block: { number: 9_000_000_002, hash: "0xblock", time: view.now - 1 },
                confirmations: 1_000_000,
                requiredConfirmations: 65,
                status: "CONFIRMED",
                historical: true,
                confirmedAt: view.now,
                reorgedAt: view.now,
                creditedBy
              })
            }
          ])
        )
        const put = deposits.flatMap((change) => (change._tag === "DepositPut" ? [change.deposit] : []))
        assert.deepStrictEqual(yield* queries.deposits(tenant.id, { after: 0, limit: 10 }), put)
        const reads = put.map(
          ({ network, transferIndex, txHash }) => ({ _tag: "Deposit", network, transferIndex, txHash }) as const
        )
        const check = looking([...reads, { _tag: "Address", id: full.id }], (view) => [
          ...reads.map((read) => view.deposit(read)),
          view.address(full.id)
        ])
        assert.deepStrictEqual(yield* writer.submit(tenant.id, check), [...put, changedAddress])

        const again = yield* writer.submit(
          tenant.id,
          writing((view) =>
            put.toReversed().map(
              (deposit) =>
                ({
                  _tag: "DepositPut",
                  deposit: {
                    ...deposit,
                    block: deposit.block === null ? { number: 1, hash: "0x1", time: view.now } : null,
                    confirmations: 0,
                    requiredConfirmations: 1,
                    status: "REORGED",
                    confirmedAt: null,
                    reorgedAt: view.now,
                    detectedAt: view.now + 1,
                    creditedBy: null,
                    changeSeq: view.nextChangeSeq()
                  }
                }) as const
            )
          )
        )
        assert.deepStrictEqual(
          yield* queries.deposits(tenant.id, { after: 0, limit: 10 }),
          again.map(({ deposit }) => deposit)
        )
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "keys, endpoints and the tenant itself round-trip",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const queries = yield* Queries
        const tenants = yield* Tenants
        const moved: Tenant = {
          ...tenant,
          name: difficultText,
          kind: "SANDBOX",
          status: "SUSPENDED",
          policy: {
            ...defaultPolicy,
            ipAllowlist: ["10.0.0.0/8", "::/0"],
            ceilingPerMinute: 7,
            creditOrigins: [],
            creditHistorical: true
          }
        }
        const { seen, written } = yield* roundTrip(
          tenant,
          writing((view) => [
            {
              _tag: "ApiKeyPut",
              apiKey: {
                ...apiKeyFields({ label: difficultText, scopes: [] }),
                tenantId: tenant.id,
                createdAt: view.now,
                revokedAt: null
              }
            } as const,
            { _tag: "EndpointPut", endpoint: bareEndpoint(tenant.id, view.newId(), view.now) } as const,
            {
              _tag: "EndpointPut",
              endpoint: bareEndpoint(tenant.id, view.newId(), view.now, {
                url: `https://example.com/${encodeURIComponent(difficultText)}`,
                kinds: ["deposit.settled", "swap.failed"],
                secret: difficultText,
                nextSecret: difficultText,
                enabled: false,
                disabledReason: difficultText
              })
            } as const,
            { _tag: "TenantPut", tenant: moved } as const
          ]),
          (changes) =>
            changes.flatMap((change): ReadonlyArray<Read> =>
              change._tag === "ApiKeyPut"
                ? [{ _tag: "ApiKey", id: change.apiKey.id }]
                : change._tag === "EndpointPut"
                  ? [{ _tag: "Endpoint", id: change.endpoint.id }]
                  : []
            ),
          (view, changes) =>
            changes.map((change) =>
              change._tag === "ApiKeyPut"
                ? view.apiKey(change.apiKey.id)
                : change._tag === "EndpointPut"
                  ? view.endpoint(change.endpoint.id)
                  : view.tenant
            )
        )
        const records = written.map((change) =>
          change._tag === "ApiKeyPut" ? change.apiKey : change._tag === "EndpointPut" ? change.endpoint : change.tenant
        )
        assert.deepStrictEqual(seen, records)
        assert.deepStrictEqual(yield* tenants.byId(tenant.id), moved)
        assert.deepStrictEqual(yield* tenants.bySlug(tenant.slug), moved)
        assert.deepStrictEqual(
          yield* tenants.keys(tenant.id),
          written.flatMap((change) => (change._tag === "ApiKeyPut" ? [change.apiKey] : []))
        )
        const endpoints = written.flatMap((change) => (change._tag === "EndpointPut" ? [change.endpoint] : []))
        const stored = yield* queries.endpoints(tenant.id)
        assert.sameDeepMembers([...stored], endpoints)
      }),
    timeoutMs
  )
}
