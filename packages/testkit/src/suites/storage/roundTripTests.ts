import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { Command } from "@bursar/core/engine/Command"
import type { Read } from "@bursar/core/engine/Read"
import type { View } from "@bursar/core/engine/View"
import type { Event } from "@bursar/core/event/Event"
import type { Claim } from "@bursar/core/idempotency/Claim"
import { Writer } from "@bursar/core/engine/Writer"
import { Queries } from "@bursar/core/port/Queries"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy, type Tenant } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { apiKeyFields } from "../../fixtures/keys.ts"
import { bareAddress, bareDeposit, bareEndpoint, bareOperation, difficultText, fullOperation, hugeUnits } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import type { StorageIt } from "./services.ts"

/** Writes and looks again, in another commit. */
const roundTrip = Effect.fnUntraced(function*<A, B>(tenant: Tenant, write: Command<A>, reads: (written: A) => ReadonlyArray<Read>, look: (view: View, written: A) => B) {
  const writer = yield* Writer
  const written = yield* writer.submit(tenant.id, write)
  return { written, seen: yield* writer.submit(tenant.id, looking(reads(written), (view) => look(view, written))) }
})

/** Every kind of change comes back as it was written, with all its fields. */
export const roundTripTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect("operations round-trip, and a second put replaces the first", () =>
    Effect.gen(function*() {
      const tenant = yield* newTenant()
      const queries = yield* Queries
      const { seen, written } = yield* roundTrip(
        tenant,
        writing((view) => [fullOperation(view), bareOperation(view)].map((operation) => ({ _tag: "OperationPut", operation } as const))),
        (changes) => changes.map(({ operation }) => ({ _tag: "Operation", id: operation.id })),
        (view, changes) => changes.map(({ operation }) => view.operation(operation.id))
      )
      assert.deepStrictEqual(seen, written.map(({ operation }) => operation))
      for (const { operation } of written) {
        assert.deepStrictEqual(yield* queries.operation(tenant.id, operation.id), operation)
        const swapped = { ...(operation.toAmount === null ? fullOperation : bareOperation)({ newId: () => operation.id, now: operation.createdAt, tenant }) }
        yield* (yield* Writer).submit(tenant.id, writing(() => [{ _tag: "OperationPut", operation: swapped }]))
        assert.deepStrictEqual(yield* queries.operation(tenant.id, operation.id), swapped)
      }
      assert.strictEqual((yield* queries.register(tenant.id, { limit: 10 })).length, 2)
    }), timeoutMs)

  it.effect("postings of huge amounts round-trip with running balances and versions, below zero too", () =>
    Effect.gen(function*() {
      const tenant = yield* newTenant()
      const balanceReads = (["float:available", "chain:ethereum:tenant", "account:a-1"] as const).map((account) =>
        ({ _tag: "Balance", account, currency: "ETH" } as const))
      const { seen, written } = yield* roundTrip(
        tenant,
        writing((view) => {
          const operation = fullOperation(view)
          const leg = { currency: "ETH", units: hugeUnits, what: "principal" } as const
          return [
            { _tag: "OperationPut", operation },
            {
              _tag: "Posted",
              operationId: operation.id,
              legs: [
                { ...leg, account: "chain:ethereum:tenant", direction: "DEBIT" },
                { ...leg, account: "float:available", direction: "CREDIT", units: hugeUnits - 5n },
                { ...leg, account: "account:a-1", direction: "CREDIT", units: 5n, what: "fee" }
              ]
            },
            {
              _tag: "Posted",
              operationId: operation.id,
              mayOverdraw: true,
              legs: [
                { ...leg, account: "float:available", direction: "DEBIT", units: hugeUnits, what: "reversal" },
                { ...leg, account: "chain:ethereum:tenant", direction: "CREDIT", what: "reversal" }
              ]
            }
          ]
        }, balanceReads),
        () => balanceReads,
        (view) => balanceReads.map(({ account }) => view.balance(account, "ETH"))
      )
      assert.deepStrictEqual(seen, [
        { account: "float:available", currency: "ETH", units: -5n, version: 2 },
        { account: "chain:ethereum:tenant", currency: "ETH", units: 0n, version: 2 },
        { account: "account:a-1", currency: "ETH", units: 5n, version: 1 }
      ])
      const operation = written.find((change) => change._tag === "OperationPut")?.operation
      const legs = yield* (yield* Queries).legs(tenant.id, operation?.id ?? "")
      const common = { currency: "ETH", operationId: operation?.id, postedAt: operation?.createdAt, units: hugeUnits }
      assert.deepStrictEqual(legs.map((leg) => ({ ...leg })), [
        { ...common, account: "chain:ethereum:tenant", direction: "DEBIT", what: "principal", postingSeq: 1, ordinal: 0, balance: hugeUnits, version: 1 },
        { ...common, account: "float:available", direction: "CREDIT", what: "principal", units: hugeUnits - 5n, postingSeq: 1, ordinal: 1, balance: hugeUnits - 5n, version: 1 },
        { ...common, account: "account:a-1", direction: "CREDIT", what: "fee", units: 5n, postingSeq: 1, ordinal: 2, balance: 5n, version: 1 },
        { ...common, account: "float:available", direction: "DEBIT", what: "reversal", postingSeq: 2, ordinal: 0, balance: -5n, version: 2 },
        { ...common, account: "chain:ethereum:tenant", direction: "CREDIT", what: "reversal", postingSeq: 2, ordinal: 1, balance: 0n, version: 2 }
      ])
    }), timeoutMs)

  it.effect("addresses and deposits round-trip, and later puts replace every field that can change", () =>
    Effect.gen(function*() {
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
        return [bare, full].flatMap((address) => [
          { _tag: "AddressPut", address },
          { _tag: "AddressClaimed", network: address.network, address: address.address, addressId: address.id }
        ] as const)
      })
      const { seen, written } = yield* roundTrip(
        tenant,
        putAddresses,
        (changes) => changes.flatMap((change): ReadonlyArray<Read> =>
          change._tag === "AddressPut"
            ? [{ _tag: "Address", id: change.address.id }]
            : [{ _tag: "LiveAddress", network: change.network, address: change.address }]),
        (view, changes) => changes.map((change) =>
          change._tag === "AddressPut" ? view.address(change.address.id) : view.liveAddress(change.network, change.address))
      )
      const addresses = written.flatMap((change): ReadonlyArray<DepositAddress> => change._tag === "AddressPut" ? [change.address] : [])
      assert.deepStrictEqual(seen, addresses.flatMap((record) => [record, { owner: tenant.id, record }]))
      assert.deepStrictEqual(
        yield* queries.addresses(tenant.id, { includeRetired: false, limit: 10 }),
        [...addresses].sort((left, right) => (left.id < right.id ? -1 : 1))
      )
      const [bare, full] = addresses
      if (bare === undefined || full === undefined) return assert.fail("no addresses")

      const changedAddress = { ...full, sweepHold: null, watchNowUntil: null, retiredAt: full.createdAt + 1 }
      const operation = yield* writer.submit(tenant.id, writing((view) => [{ _tag: "OperationPut", operation: bareOperation(view) }]))
      const creditedBy = operation[0]?.operation.id ?? null
      const deposits = yield* writer.submit(tenant.id, writing((view) => [
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
      ]))
      const put = deposits.flatMap((change) => change._tag === "DepositPut" ? [change.deposit] : [])
      assert.deepStrictEqual(yield* queries.deposits(tenant.id, { after: 0, limit: 10 }), put)
      const reads = put.map(({ network, transferIndex, txHash }) => ({ _tag: "Deposit", network, transferIndex, txHash } as const))
      const look = looking([...reads, { _tag: "Address", id: full.id }], (view) => [...reads.map((read) => view.deposit(read)), view.address(full.id)])
      assert.deepStrictEqual(yield* writer.submit(tenant.id, look), [...put, changedAddress])

      const again = yield* writer.submit(tenant.id, writing((view) => put.toReversed().map((deposit) => ({
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
      } as const))))
      assert.deepStrictEqual(yield* queries.deposits(tenant.id, { after: 0, limit: 10 }), again.map(({ deposit }) => deposit))
      return undefined
    }), timeoutMs)

  it.effect("events and claims round-trip", () =>
    Effect.gen(function*() {
      const tenant = yield* newTenant()
      const queries = yield* Queries
      const claim = (view: View, key: string, outcome: Claim["outcome"], resourceId: string | null): Claim => ({
        key,
        endpoint: "POST /v1/withdrawals",
        fingerprint: "f".repeat(64),
        outcome,
        resourceId,
        claimedAt: view.now
      })
      const detail = { text: difficultText, list: ["1.10", 2.5, null, { deep: [] }], "": true }
      const { seen, written } = yield* roundTrip(
        tenant,
        writing((view) => {
          const event = (data: Event["data"]): Event => ({
            id: view.nextEventId(),
            kind: "deposit.reorged",
            resourceId: view.newId(),
            occurredAt: view.now,
            data
          })
          return [
            { _tag: "EventEmitted", event: event({}) } as const,
            { _tag: "EventEmitted", event: event({ ...detail, amount_units: hugeUnits.toString() }) } as const,
            { _tag: "Claimed", claim: claim(view, difficultText, { _tag: "Done", body: detail }, view.newId()) } as const,
            { _tag: "Claimed", claim: claim(view, "k-2", { _tag: "Done", body: null }, null) } as const,
            { _tag: "Claimed", claim: claim(view, "k-3", { _tag: "Done", body: difficultText }, null) } as const,
            {
              _tag: "Claimed",
              claim: claim(view, "k-4", { _tag: "Refused", code: "not_found", message: difficultText, detail }, null)
            } as const,
            { _tag: "Claimed", claim: claim(view, "k-5", { _tag: "Refused", code: "x", message: "", detail: null }, null) } as const
          ]
        }),
        (changes) => changes.flatMap((change) => change._tag === "Claimed" ? [{ _tag: "Claim", key: change.claim.key }] : []),
        (view, changes) => changes.flatMap((change) => change._tag === "Claimed" ? [view.claim(change.claim.key)] : [])
      )
      const claims = written.flatMap((change) => change._tag === "Claimed" ? [change.claim] : [])
      assert.deepStrictEqual(seen, claims)
      for (const one of claims) assert.deepStrictEqual(yield* queries.claim(tenant.id, one.key), one)
      const events = written.flatMap((change) => change._tag === "EventEmitted" ? [change.event] : [])
      assert.deepStrictEqual(yield* queries.events(tenant.id, 0, 10), events)
    }), timeoutMs)

  it.effect("keys, endpoints and the tenant itself round-trip", () =>
    Effect.gen(function*() {
      const tenant = yield* newTenant()
      const queries = yield* Queries
      const tenants = yield* Tenants
      const moved: Tenant = {
        ...tenant,
        name: difficultText,
        kind: "SANDBOX",
        status: "SUSPENDED",
        policy: { ...defaultPolicy, ipAllowlist: ["10.0.0.0/8", "::/0"], ceilingPerMinute: 7, creditOrigins: [], creditHistorical: true }
      }
      const { seen, written } = yield* roundTrip(
        tenant,
        writing((view) => [
          { _tag: "ApiKeyPut", apiKey: { ...apiKeyFields({ label: difficultText, scopes: [] }), tenantId: tenant.id, createdAt: view.now, revokedAt: null } } as const,
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
        (changes) => changes.flatMap((change): ReadonlyArray<Read> =>
          change._tag === "ApiKeyPut"
            ? [{ _tag: "ApiKey", id: change.apiKey.id }]
            : change._tag === "EndpointPut"
            ? [{ _tag: "Endpoint", id: change.endpoint.id }]
            : []),
        (view, changes) => changes.map((change) =>
          change._tag === "ApiKeyPut" ? view.apiKey(change.apiKey.id) : change._tag === "EndpointPut" ? view.endpoint(change.endpoint.id) : view.tenant)
      )
      const records = written.map((change) =>
        change._tag === "ApiKeyPut" ? change.apiKey : change._tag === "EndpointPut" ? change.endpoint : change.tenant)
      assert.deepStrictEqual(seen, records)
      assert.deepStrictEqual(yield* tenants.byId(tenant.id), moved)
      assert.deepStrictEqual(yield* tenants.bySlug(tenant.slug), moved)
      assert.deepStrictEqual(yield* tenants.keys(tenant.id), written.flatMap((change) => change._tag === "ApiKeyPut" ? [change.apiKey] : []))
      const endpoints = written.flatMap((change) => change._tag === "EndpointPut" ? [change.endpoint] : [])
      const stored = yield* queries.endpoints(tenant.id)
      assert.sameDeepMembers([...stored], endpoints)
    }), timeoutMs)
}
