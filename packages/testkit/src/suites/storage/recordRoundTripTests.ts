import { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { Read } from "@bursar/core/engine/Read"
import { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/store/Queries"
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
import { newTenant, past } from "../../fixtures/tenants.ts"
import { roundTrip } from "./roundTrip.ts"
import type { StorageIt } from "./services.ts"
import { isPut, putRecord, readRecord } from "@bursar/core/engine/Records"
import { liveAddress } from "@bursar/core/address/owners"
import { Operation } from "@bursar/core/operation/Operation"
import { Deposit } from "@bursar/core/deposit/Deposit"
import { ApiKey } from "@bursar/core/access/ApiKey"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"

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
            siblingOf: bare.id,
            registrations: [
              { id: view.newId(), keyid: difficultText },
              { id: view.newId(), keyid: "k" }
            ]
          })
          return [bare, full].flatMap(
            (address) =>
              [
                putRecord(DepositAddress, address),
                { _tag: "AddressClaimed", network: address.network, address: address.address, addressId: address.id }
              ] as const
          )
        })
        const { seen, written } = yield* roundTrip(
          tenant,
          putAddresses,
          (changes) =>
            changes.flatMap((change): ReadonlyArray<Read> =>
              isPut(DepositAddress, change)
                ? [readRecord(DepositAddress, change.record.id)]
                : [{ _tag: "LiveAddress", network: change.network, address: change.address }]
            ),
          (view, changes) =>
            changes.map((change) =>
              isPut(DepositAddress, change)
                ? view.get(DepositAddress, change.record.id)
                : liveAddress(view, change.network, change.address)
            )
        )
        const addresses = written.flatMap((change): ReadonlyArray<DepositAddress> =>
          isPut(DepositAddress, change) ? [change.record] : []
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
          writing((view) => [putRecord(Operation, bareOperation(view))])
        )
        const creditedBy = operation[0]?.record.id ?? null
        const deposits = yield* writer.submit(
          tenant.id,
          writing((view) => [
            putRecord(DepositAddress, changedAddress),
            putRecord(Deposit, bareDeposit(view, bare, { block: null, confirmations: 0 })),
            putRecord(
              Deposit,
              bareDeposit(view, full, {
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
            )
          ])
        )
        const put = deposits.flatMap((change) => (isPut(Deposit, change) ? [change.record] : []))
        assert.deepStrictEqual(yield* queries.deposits(tenant.id, { after: 0, limit: 10 }), put)
        const keys = put.map((deposit) => Deposit.key(deposit))
        const reads = keys.map((key) => readRecord(Deposit, key))
        const check = looking([...reads, readRecord(DepositAddress, full.id)], (view) => [
          ...keys.map((key) => view.get(Deposit, key)),
          view.get(DepositAddress, full.id)
        ])
        assert.deepStrictEqual(yield* writer.submit(tenant.id, check), [...put, changedAddress])

        const again = yield* writer.submit(
          tenant.id,
          writing((view) =>
            put.toReversed().map((deposit) =>
              putRecord(Deposit, {
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
              })
            )
          )
        )
        assert.deepStrictEqual(
          yield* queries.deposits(tenant.id, { after: 0, limit: 10 }),
          again.map(({ record }) => record)
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
          },
          loweredAt: past
        }
        const { seen, written } = yield* roundTrip(
          tenant,
          writing((view) => [
            putRecord(ApiKey, {
              ...apiKeyFields({ label: difficultText, scopes: [] }),
              tenantId: tenant.id,
              createdAt: view.now,
              revokedAt: null
            }),
            putRecord(WebhookEndpoint, bareEndpoint(tenant.id, view.newId(), view.now)),
            putRecord(
              WebhookEndpoint,
              bareEndpoint(tenant.id, view.newId(), view.now, {
                url: `https://example.com/${encodeURIComponent(difficultText)}`,
                kinds: ["deposit.settled", "swap.failed"],
                secret: difficultText,
                nextSecret: difficultText,
                enabled: false,
                disabledReason: difficultText
              })
            ),
            { _tag: "TenantPut", tenant: moved } as const
          ]),
          (changes) =>
            changes.flatMap((change): ReadonlyArray<Read> =>
              isPut(ApiKey, change)
                ? [readRecord(ApiKey, change.record.id)]
                : isPut(WebhookEndpoint, change)
                  ? [readRecord(WebhookEndpoint, change.record.id)]
                  : []
            ),
          (view, changes) =>
            changes.map((change) =>
              isPut(ApiKey, change)
                ? view.get(ApiKey, change.record.id)
                : isPut(WebhookEndpoint, change)
                  ? view.get(WebhookEndpoint, change.record.id)
                  : view.tenant
            )
        )
        const records = written.map((change) => (change._tag === "TenantPut" ? change.tenant : change.record))
        assert.deepStrictEqual(seen, records)
        assert.deepStrictEqual(yield* tenants.byId(tenant.id), moved)
        assert.deepStrictEqual(yield* tenants.bySlug(tenant.slug), moved)
        assert.deepStrictEqual(
          yield* tenants.keys(tenant.id),
          written.flatMap((change) => (isPut(ApiKey, change) ? [change.record] : []))
        )
        const endpoints = written.flatMap((change) => (isPut(WebhookEndpoint, change) ? [change.record] : []))
        const stored = yield* queries.endpoints(tenant.id)
        assert.sameDeepMembers([...stored], endpoints)
      }),
    timeoutMs
  )
}
