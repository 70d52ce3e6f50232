import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { deriveAddresses } from "@bursar/core/address/deriveAddresses"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { importDepositKey } from "@bursar/core/incoming/importDepositKey"
import { registerXpub } from "@bursar/core/address/registerXpub"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { retireXpub } from "@bursar/core/address/retireXpub"
import { setSweepHold } from "@bursar/core/sweep/sweepHold"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import type { Read } from "@bursar/core/engine/Read"
import { Writer } from "@bursar/core/engine/Writer"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { accountAt, incomingTransferAt, keyed, newEvmAddress } from "../../fixtures/deposits.ts"
import { newXpubText, xpubItem } from "../../fixtures/xpubs.ts"
import { bareAddress, bareDeposit, difficultText } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import type { StorageIt } from "./services.ts"
import { readRecord, readGroup, readNewest, putRecord } from "@bursar/core/engine/Records"
import { Xpub, XpubUse, xpubUseGroup } from "@bursar/core/address/Xpub"
import { IssuingAccount } from "@bursar/core/address/IssuingAccount"
import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { Deposit, NewestDeposit } from "@bursar/core/deposit/Deposit"

const addresses = (count: number) => Array.from({ length: count }, () => keyed(newEvmAddress()))

/** What addresses come from besides registration: keys with their counters, and what the service keeps of them. */
export const keyTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "an xpub round-trips with the widest range, is found by id, network and key, and comes back as it was changed",
    () =>
      Effect.gen(function* () {
        const { id: tenant } = yield* newTenant()
        const writer = yield* Writer
        const queries = yield* Queries
        const item = xpubItem({ canonical: difficultText, indexTo: 2 ** 31 - 1, network: "bitcoin" })
        const made = yield* writer.submit(tenant, registerXpub(item))
        const reads: ReadonlyArray<Read> = [
          readRecord(Xpub, made.id),
          readGroup(Xpub, "bitcoin"),
          readGroup(Xpub, "tron"),
          readNewest(XpubUse, xpubUseGroup("bitcoin", difficultText)),
          readNewest(XpubUse, xpubUseGroup("tron", difficultText))
        ]
        const check = looking(reads, (view) => [
          view.get(Xpub, made.id),
          view.group(Xpub, "bitcoin")[0],
          view.group(Xpub, "tron")[0],
          view.newest(XpubUse, xpubUseGroup("bitcoin", difficultText))?.nextIndex ?? 0,
          view.newest(XpubUse, xpubUseGroup("tron", difficultText))?.nextIndex ?? 0
        ])
        assert.deepStrictEqual(yield* writer.submit(tenant, check), [made, made, undefined, 0, 0])
        const used = { ...made, nextIndex: 2 ** 31 }
        yield* writer.submit(
          tenant,
          writing(() => [putRecord(Xpub, used)])
        )
        assert.deepStrictEqual(yield* writer.submit(tenant, check), [used, used, undefined, 2 ** 31, 0])
        const retired = yield* writer.submit(tenant, retireXpub(made.id))
        assert.deepStrictEqual(yield* writer.submit(tenant, check), [retired, undefined, undefined, 2 ** 31, 0])
        assert.deepStrictEqual(yield* queries.xpubs(tenant, { includeRetired: false }), [])
        const next = yield* writer.submit(tenant, registerXpub(xpubItem({ network: "bitcoin" })))
        const other = yield* writer.submit(tenant, registerXpub(xpubItem({ network: "tron" })))
        assert.deepStrictEqual(yield* queries.xpubs(tenant, { includeRetired: true }), [retired, next, other])
        assert.deepStrictEqual(yield* queries.xpubs(tenant, { includeRetired: false, network: "tron" }), [other])
        const { id: stranger } = yield* newTenant()
        assert.deepStrictEqual(yield* queries.xpubs(stranger, { includeRetired: true }), [])
        assert.deepStrictEqual(yield* writer.submit(stranger, check), [undefined, undefined, undefined, 0, 0])
      }),
    timeoutMs
  )

  it.effect(
    "a key that is retired and registered again in one batch goes on where it was",
    () =>
      Effect.gen(function* () {
        const { id: tenant } = yield* newTenant()
        const writer = yield* Writer
        const item = xpubItem()
        const first = yield* writer.submit(tenant, registerXpub(item))
        const derive = (xpubId: string, from: number) =>
          deriveAddresses({
            network: item.network,
            reference: "r",
            count: 3,
            prederived: { xpubId, from, addresses: addresses(3) }
          })
        const [, , again] = yield* Effect.all(
          [
            writer.submit(tenant, derive(first.id, 0)),
            writer.submit(tenant, retireXpub(first.id)),
            writer.submit(tenant, registerXpub(item))
          ],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(again.nextIndex, 3)
        const derived = yield* writer.submit(tenant, derive(again.id, 3))
        assert.deepStrictEqual(
          derived.addresses.map(({ derivationIndex }) => derivationIndex),
          [3, 4, 5]
        )
      }),
    timeoutMs
  )

  it.effect(
    "of derivations that race from two processes, no index is used twice and none is passed over",
    () =>
      Effect.gen(function* () {
        const { id: tenant } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const queries = yield* Queries
        const item = xpubItem({ indexTo: 1_000 })
        const { id: xpubId } = yield* first.submit(tenant, registerXpub(item))
        const all = addresses(1_001)
        const derive = (count: number, writer: typeof first) =>
          Effect.suspend(() =>
            Effect.flatMap(queries.xpubs(tenant, { includeRetired: false }), ([live]) => {
              const from = live?.nextIndex ?? 0
              return writer.submit(
                tenant,
                deriveAddresses({
                  network: item.network,
                  reference: `r-${count}`,
                  count,
                  prederived: { xpubId, from, addresses: all.slice(from, from + count + 20) }
                })
              )
            })
          ).pipe(Effect.retry({ while: (error) => error._tag === "Refusal" && error.code === "stale" }))
        const results = yield* Effect.forEach(
          Array.from({ length: 24 }, (_, index) => index),
          (index) => derive(1 + (index % 5), index % 2 === 0 ? first : second),
          { concurrency: "unbounded" }
        )
        const derived = results.flatMap((result) => result.addresses)
        const indexes = derived.map(({ derivationIndex }) => derivationIndex ?? -1).toSorted((a, b) => a - b)
        assert.deepStrictEqual(
          indexes,
          indexes.map((_, index) => index)
        )
        for (const { address, derivationIndex } of derived)
          assert.strictEqual(address, all[derivationIndex ?? -1]?.address)
        const stored = yield* queries.addresses(tenant, { includeRetired: false, limit: 1_000 })
        assert.lengthOf(stored, derived.length)
      }),
    timeoutMs
  )

  it.effect(
    "an issuing account and an imported key are stored with what they came with, and a secret under one id only once",
    () =>
      Effect.gen(function* () {
        const { id: tenant } = yield* newTenant()
        const writer = yield* Writer
        const queries = yield* Queries
        const seedId = crypto.randomUUID()
        const issue = issueAddresses(
          {
            network: "ethereum",
            reference: "r",
            count: 2,
            prederived: { seedId, ...accountAt(`${difficultText} ${tenant}`), from: 0, addresses: addresses(2) }
          },
          presetNetworks
        )
        const { account } = yield* writer.submit(tenant, issue)
        assert.deepStrictEqual(yield* queries.issuingAccount(tenant, "evm"), account)
        assert.strictEqual(yield* queries.issuingAccount(tenant, "tron"), undefined)
        assert.deepStrictEqual(
          yield* writer.submit(
            tenant,
            looking([readRecord(IssuingAccount, "evm"), readRecord(IssuingAccount, "stellar")], (view) => [
              view.get(IssuingAccount, "evm"),
              view.get(IssuingAccount, "stellar")
            ])
          ),
          [account, undefined]
        )
        const imported = importDepositKey(
          {
            network: "ethereum",
            ...keyed(newEvmAddress()),
            keyId: crypto.randomUUID(),
            sealed: difficultText,
            publicKey: "02",
            algorithm: "RSA-OAEP-SHA256",
            sourceSystem: difficultText,
            sourceReference: null
          },
          defaultCurrencies
        )
        const { address } = yield* writer.submit(tenant, imported)
        assert.strictEqual(address.origin, "IMPORTED")
        yield* writer.submit(tenant, retireAddress(address.id))
        const again = yield* Effect.flip(writer.submit(tenant, imported))
        assert.notStrictEqual(again._tag, "Refusal")
      }),
    timeoutMs
  )

  it.effect(
    "the newest arrival of an address is the last change of any deposit on it, and of no other address",
    () =>
      Effect.gen(function* () {
        const { id: tenant } = yield* newTenant()
        const writer = yield* Writer
        const [one, other, none] = yield* Effect.map(
          writer.submit(
            tenant,
            writing((view) =>
              [bareAddress(view), bareAddress(view), bareAddress(view)].map((address) =>
                putRecord(DepositAddress, address)
              )
            )
          ),
          (changes) => changes.map(({ record }) => record)
        )
        if (one === undefined || other === undefined || none === undefined) return assert.fail("no addresses")
        yield* writer.submit(
          tenant,
          writing((view) => [one, one, other].map((address) => putRecord(Deposit, bareDeposit(view, address))))
        )
        const check = looking(
          [one, other, none].map(({ id }) => readNewest(NewestDeposit, id)),
          (view) => [one, other, none].map(({ id }) => view.newest(NewestDeposit, id)?.changeSeq ?? 0)
        )
        assert.deepStrictEqual(yield* writer.submit(tenant, check), [2, 3, 0])
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a hold that is set, released and refused keeps its place among arrivals",
    () =>
      Effect.gen(function* () {
        const { id: tenant } = yield* newTenant({})
        const writer = yield* Writer
        const [address] = yield* issueOne(writer, tenant)
        if (address === undefined) return assert.fail("nothing was issued")
        const hold = (held: boolean, seenThrough: number | null) =>
          writer.submit(tenant, setSweepHold({ addressId: address.id, held, reason: difficultText, seenThrough }))
        assert.strictEqual((yield* hold(true, null)).sweepHold?.kind, "OWNER")
        const incomingTransfer = incomingTransferAt(address, 7n)
        yield* writer.submit(
          tenant,
          recordIncomingTransfers(
            { network: "ethereum", requiredConfirmations: 2, incomingTransfers: [incomingTransfer] },
            defaultCurrencies
          )
        )
        const refused = yield* Effect.flip(hold(false, 0))
        assert.strictEqual(refused._tag === "Refusal" ? refused.code : refused._tag, "sweep_newer_arrival")
        assert.strictEqual((yield* hold(false, 1)).sweepHold, null)
        return undefined
      }),
    timeoutMs
  )
}

const issueOne = (writer: Writer["Service"], tenant: TenantId) =>
  Effect.map(
    writer.submit(
      tenant,
      issueAddresses(
        {
          network: "ethereum",
          reference: "r",
          count: 1,
          prederived: { seedId: crypto.randomUUID(), ...accountAt(newXpubText()), from: 0, addresses: addresses(1) }
        },
        presetNetworks
      )
    ),
    (issued) => issued.addresses
  )
