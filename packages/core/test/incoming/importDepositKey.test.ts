import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { ImportedKey } from "@bursar/core/address/ImportedKey"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { Deposit } from "@bursar/core/deposit/Deposit"
import type { Command } from "@bursar/core/engine/Command"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import * as Writer from "@bursar/core/engine/Writer"
import { type ImportDepositKey, importDepositKey } from "@bursar/core/incoming/importDepositKey"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { SealedKey } from "@bursar/core/port/SealedKey"
import { Queries } from "@bursar/core/store/Queries"
import { ImportedAddressKey, importedAddressKey } from "@bursar/core/sweep/ImportedAddressKey"
import { SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { defaultPolicy, type TenantId, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { looking, writing } from "@bursar/testkit/fixtures/commands"
import { addressItem, keyed, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { bareAddress, bareDeposit } from "@bursar/testkit/fixtures/records"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"

const handedOver = (address: string, more: Partial<ImportDepositKey> = {}) =>
  importDepositKey(
    {
      network: "ethereum",
      ...keyed(address),
      keyId: "key",
      sealed: "sealed",
      publicKey: "02",
      algorithm: "RSA-OAEP-SHA256",
      sourceSystem: "former",
      sourceReference: null,
      ...more
    },
    defaultCurrencies
  )

const setUp = Effect.fnUntraced(function* (policy: Partial<TenantPolicy> = {}) {
  const { id } = yield* newTenant({ createdAt: past, policy: { ...defaultPolicy, ...policy } })
  const submit = <A>(command: Command<A>) => Effect.map(commitAt(id, past + 1, command), ([reply]) => reply as A) // a command's reply is of its kind
  const all = Effect.flatMap(Queries, (queries) => queries.addresses(id, { includeRetired: true, limit: 100 }))
  return { id, submit, all }
})

/** How a command is refused; undefined where it is not. */
const submitted = (id: TenantId, command: Command<unknown>) =>
  Effect.flatMap(Writer.Writer, (writer) => writer.submit(id, command)).pipe(
    Effect.match({
      onFailure: (error) => (error._tag === "Refusal" ? error.code : error._tag),
      onSuccess: () => undefined
    })
  )

layer(Writer.layer.pipe(Layer.provideMerge(Memory.layer)), { excludeTestServices: true })(
  "a key that is handed over",
  (it) => {
    it.effect("makes the service the custodian of a new address, with all that it needs to sign", () =>
      Effect.gen(function* () {
        const { all, id, submit } = yield* setUp()
        const address = newEvmAddress()
        const { address: record, key } = yield* submit(handedOver(address, { sourceReference: "theirs" }))
        assert.deepStrictEqual(yield* all, [record])
        assert.deepStrictEqual(
          [record.origin, record.reference, record.sweepHold, record.retiredAt, record.seedId, record.xpubId],
          ["IMPORTED", "theirs", null, null, null, null]
        )
        assert.deepStrictEqual(key, {
          id: "key",
          tenantId: id,
          addressId: record.id,
          network: "ethereum",
          address,
          algorithm: "RSA-OAEP-SHA256",
          sourceSystem: "former",
          sourceReference: "theirs",
          createdAt: past + 1
        })
        const queries = yield* Queries
        assert.deepStrictEqual(yield* queries.record(id, ImportedKey, "key"), key)
        assert.deepStrictEqual(yield* queries.record(id, ImportedAddressKey, importedAddressKey("evm", address)), {
          network: "ethereum",
          family: "evm",
          address,
          keyId: "key",
          publicKey: "02"
        })
        assert.deepStrictEqual(yield* queries.record(id, SealedKey, "key"), {
          tenantId: id,
          id: "key",
          kind: "IMPORTED",
          sealed: "sealed",
          createdAt: past + 1
        })
      })
    )

    it.effect("names its address by what the partner calls it, by its source, or by itself", () =>
      Effect.gen(function* () {
        const { submit } = yield* setUp()
        const [watched, elsewhere, fresh, bare] = [newEvmAddress(), newEvmAddress(), newEvmAddress(), newEvmAddress()]
        yield* submit(
          registerAddresses([
            addressItem(watched, { reference: "watched" }),
            addressItem(elsewhere, { reference: "elsewhere", network: "base" })
          ])
        )
        const named = Effect.fnUntraced(function* (address: string, sourceReference: string | null) {
          const { address: record } = yield* submit(handedOver(address, { sourceReference, keyId: address }))
          return record.reference
        })
        assert.deepStrictEqual(
          [
            yield* named(watched, "source"),
            yield* named(elsewhere, "source"),
            yield* named(fresh, "source"),
            yield* named(bare, null)
          ],
          ["watched", "elsewhere", "source", bare]
        )
      })
    )

    it.effect("is held from sweeping where the policy says so, but for what is not watched any more", () =>
      Effect.gen(function* () {
        const held = { kind: "IMPORT", heldAt: past + 1 }
        for (const holdOnImport of [true, false]) {
          const { all, submit } = yield* setUp({ holdOnImport })
          const [watched, fresh] = [newEvmAddress(), newEvmAddress()]
          yield* submit(registerAddresses([addressItem(watched), addressItem(watched, { network: "base" })]))
          const onBase = (yield* all).find(({ network }) => network === "base")
          yield* submit(writing(() => [putRecord(DepositAddress, { ...onBase!, retiredAt: past })]))
          yield* submit(handedOver(watched, { keyId: "one" }))
          yield* submit(handedOver(fresh, { keyId: "two" }))
          const holds = (yield* all).map(({ address, network, sweepHold }) => [
            address === watched ? network : "fresh",
            sweepHold && { kind: sweepHold.kind, heldAt: sweepHold.heldAt }
          ])
          assert.sameDeepMembers(holds, [
            ["ethereum", holdOnImport ? held : null],
            ["base", null],
            ["fresh", holdOnImport ? held : null]
          ])
        }
      })
    )

    it.effect("adds no second record where its address is watched, and one where only a retired one is there", () =>
      Effect.gen(function* () {
        const { all, submit } = yield* setUp()
        const address = newEvmAddress()
        yield* submit(registerAddresses([addressItem(address)]))
        const [watched] = yield* all
        const { address: same } = yield* submit(handedOver(address))
        assert.deepStrictEqual(same, { ...watched!, origin: "IMPORTED", sweepHold: null })
        assert.deepStrictEqual(yield* all, [same])

        const retired = newEvmAddress()
        const once = yield* submit(
          writing((view) => [
            putRecord(DepositAddress, bareAddress(view, { address: retired, origin: "REGISTERED", retiredAt: past }))
          ])
        )
        const { address: added } = yield* submit(handedOver(retired, { keyId: "other" }))
        assert.notStrictEqual(added.id, once[0]?.record.id)
        assert.strictEqual(added.retiredAt, null)
      })
    )

    it.effect("is refused where the address or the key is another's, on whichever network of the family", () =>
      Effect.gen(function* () {
        const { id } = yield* setUp()
        const other = yield* setUp()
        for (const network of ["ethereum", "base", "bsc"] as const) {
          const address = newEvmAddress()
          // the address alone, of which no key is known
          yield* other.submit(
            writing((view) => [{ _tag: "AddressClaimed", network, address, addressId: view.newId() } as const])
          )
          assert.strictEqual(yield* submitted(id, handedOver(address)), "address_unavailable", network)
        }
        const address = newEvmAddress()
        yield* other.submit(
          writing((view) => [
            { _tag: "KeysClaimed", keys: keyed(address).keys, holder: "TENANT", by: view.newId() } as const
          ])
        )
        assert.strictEqual(yield* submitted(id, handedOver(address)), "address_unavailable")
        assert.isUndefined(yield* submitted(id, handedOver(newEvmAddress())))
      })
    )

    it.effect("is refused where the service holds it already, and taken again once its address was retired", () =>
      Effect.gen(function* () {
        const { id, submit } = yield* setUp()
        const having = (more: Partial<DepositAddress>) =>
          Effect.map(
            submit(
              writing((view) => [putRecord(DepositAddress, bareAddress(view, { address: newEvmAddress(), ...more }))])
            ),
            ([put]) => put!.record.address
          )
        const cases = [
          [{ origin: "ISSUED" }, "state_conflict"],
          [{ origin: "ISSUED", retiredAt: past }, "state_conflict"],
          [{ origin: "IMPORTED" }, "state_conflict"],
          [{ origin: "IMPORTED", retiredAt: past }, undefined],
          [{ origin: "REGISTERED" }, undefined]
        ] as const
        for (const [more, code] of cases) {
          const address = yield* having(more)
          assert.strictEqual(yield* submitted(id, handedOver(address, { keyId: address })), code, JSON.stringify(more))
        }
      })
    )

    it.effect("is refused while confirmed deposits wait for a proof, and for no other reason to wait", () =>
      Effect.gen(function* () {
        const waits: Partial<Deposit> = { status: "CONFIRMED", creditedBy: null }
        const cases: ReadonlyArray<readonly [boolean, Partial<Deposit>, string | undefined]> = [
          [true, waits, "state_conflict"],
          [true, { ...waits, status: "DETECTED" }, undefined],
          [true, { ...waits, creditedBy: crypto.randomUUID() }, undefined],
          [true, { ...waits, addressId: crypto.randomUUID() }, undefined],
          [false, waits, undefined]
        ]
        for (const [addressProofRequired, deposit, code] of cases) {
          const { id, submit } = yield* setUp({ addressProofRequired })
          const address = newEvmAddress()
          yield* submit(
            writing((view) => {
              const record = bareAddress(view, { address, origin: "REGISTERED" })
              const one = bareDeposit(view, record, { currency: "ETH", changeSeq: view.nextChangeSeq(), ...deposit })
              return [putRecord(DepositAddress, record), putRecord(Deposit, one)]
            })
          )
          const ended = yield* submitted(id, handedOver(address))
          assert.strictEqual(ended, code, JSON.stringify([addressProofRequired, deposit.status, deposit.creditedBy]))
        }
      })
    )

    it.effect("takes nothing of what the service has swept for long: records that it held stay as they are", () =>
      Effect.gen(function* () {
        const { all, id, submit } = yield* setUp()
        const address = newEvmAddress()
        yield* submit(
          writing((view) => [
            putRecord(
              DepositAddress,
              bareAddress(view, { address, origin: "IMPORTED", retiredAt: past, reference: "before" })
            )
          ])
        )
        const [before] = yield* all
        const { address: added } = yield* submit(handedOver(address, { sourceReference: "again" }))
        assert.sameDeepMembers([...(yield* all)], [before!, added])
        assert.strictEqual(added.reference, "again")
        assert.deepStrictEqual(yield* (yield* Queries).records(id, SweepableDeposit, before!.id), [])
      })
    )

    it.effect("claims the key for the service, by the record that stands for it", () =>
      Effect.gen(function* () {
        const { id, submit } = yield* setUp()
        const address = newEvmAddress()
        const { address: record } = yield* submit(handedOver(address))
        const [key] = keyed(address).keys
        const owner = yield* submit(
          looking([{ _tag: "KeyOwner", key: key! }, readRecord(DepositAddress, record.id)], (view) =>
            view.keyOwner(key!)
          )
        )
        assert.deepStrictEqual(owner, { owner: id, holder: "SERVICE", by: record.id })
      })
    )
  }
)
