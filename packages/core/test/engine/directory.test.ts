import type { Change } from "@bursar/core/engine/Change"
import type { Command } from "@bursar/core/engine/Command"
import { type AddressOwner, addressKey, type KeyHolder, type KeyOwner } from "@bursar/core/engine/Directory"
import { collectReads, type Read } from "@bursar/core/engine/Read"
import { defineRecord } from "@bursar/core/engine/Records"
import { runBatch } from "@bursar/core/engine/runBatch"
import type { View } from "@bursar/core/engine/View"
import { firstHead } from "@bursar/core/engine/WriteSet"
import { newIdAt } from "@bursar/testkit/fixtures/records"
import { past, tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Exit, Result } from "effect"
import { loadedWith } from "./loaded.ts"

const tenant = tenantRecord(past)
const other = tenantRecord(past).id
const Named = defineRecord<{ readonly id: string }>({ name: "Named", key: ({ id }) => id })

const readAddress = (address: string): Read => ({ _tag: "LiveAddress", network: "tron", address })
const readKey = (key: string): Read => ({ _tag: "KeyOwner", key })

const claimed = (address: string, addressId: string, wallet?: true): Change => ({
  _tag: "AddressClaimed",
  network: "tron",
  address,
  addressId,
  ...(wallet && { wallet })
})
const freed = (address: string, addressId: string): Change => ({
  _tag: "AddressFreed",
  network: "tron",
  address,
  addressId
})
const keys = (by: string, holder: KeyHolder, ...names: ReadonlyArray<string>): Change => ({
  _tag: "KeysClaimed",
  keys: names,
  holder,
  by
})

const putting = (...changes: ReadonlyArray<Change>): Command<unknown> => ({
  name: "Putting",
  reads: [],
  decide: () => Result.succeed({ changes, reply: null })
})

const asking = (reads: ReadonlyArray<Read>, ask: (view: View) => unknown): Command<unknown> => ({
  name: "Asking",
  reads,
  decide: (view) => Result.succeed({ changes: [], reply: ask(view) })
})

const whose = (address: string) => asking([readAddress(address)], (view) => view.addressOwner("tron", address))
const whoseKey = (key: string) => asking([readKey(key)], (view) => view.keyOwner(key))

interface There {
  readonly addresses: Readonly<Record<string, AddressOwner>>
  readonly keyOwners: Readonly<Record<string, KeyOwner>>
  readonly named: ReadonlyArray<string>
}

const run = (
  commands: ReadonlyArray<Command<unknown>>,
  { addresses = {}, keyOwners = {}, named = [] }: Partial<There> = {}
) => {
  const { replies, writes } = runBatch(
    commands,
    collectReads(commands.map(({ reads }) => reads)),
    loadedWith(firstHead(tenant), {
      liveAddresses: new Map(Object.entries(addresses).map(([address, owner]) => [addressKey("tron", address), owner])),
      keyOwners: new Map(Object.entries(keyOwners)),
      records: new Map([[Named.name, new Map(named.map((id) => [id, { id }]))]])
    }),
    { now: past, newId: () => newIdAt(past) }
  )
  const { claimed: taken, freed: given, keyClaims, keysReleasedBy } = writes
  return {
    ends: replies.map((exit) => (Exit.isSuccess(exit) ? exit.value : "failed")),
    writes: { taken, given, keyClaims, keysReleasedBy }
  }
}

const entry = (address: string, addressId: string, isClaimed: boolean) => ({
  network: "tron",
  address,
  addressId,
  claimed: isClaimed
})

describe("the directory in a batch", () => {
  it("tells whose an address is: as it was loaded, and as commands before have left it", () => {
    const { ends, writes } = run(
      [
        whose("theirs"),
        whose("nobody's"),
        putting(claimed("nobody's", "new")),
        whose("nobody's"),
        putting(freed("nobody's", "new")),
        whose("nobody's")
      ],
      { addresses: { theirs: { owner: other, id: "old" } } }
    )
    assert.deepStrictEqual(ends, [
      { owner: other, id: "old" },
      undefined,
      null,
      { owner: tenant.id, id: "new" },
      null,
      undefined
    ])
    assert.deepStrictEqual(writes, {
      taken: [],
      given: [entry("nobody's", "new", false)],
      keyClaims: [],
      keysReleasedBy: ["new"]
    })
  })

  it("writes what was claimed in the end, and marks the addresses of wallets alone", () => {
    const { writes } = run([
      putting(freed("a", "before")),
      putting(claimed("a", "after"), claimed("w", "wallet", true), freed("gone", "old"))
    ])
    assert.deepStrictEqual(writes.taken, [entry("a", "after", true), { ...entry("w", "wallet", true), wallet: true }])
    assert.deepStrictEqual(writes.given, [entry("gone", "old", false)])
    assert.deepStrictEqual(writes.keysReleasedBy, ["before", "old"])
  })

  it("gives a key to whoever claims it first, and lets only what the tenant held itself be claimed over", () => {
    const owned = (holder: KeyHolder): KeyOwner => ({ owner: tenant.id, holder, by: "first" })
    const holders = (key: string) => asking([readKey(key)], (view) => view.keyOwner(key))
    const { ends, writes } = run(
      [
        putting(keys("second", "WALLET", "free", "tenant's", "service's", "wallet's")),
        ...["free", "tenant's", "service's", "wallet's"].map(holders)
      ],
      {
        keyOwners: {
          "tenant's": owned("TENANT"),
          "service's": owned("SERVICE"),
          "wallet's": owned("WALLET")
        }
      }
    )
    const now = { owner: tenant.id, holder: "WALLET", by: "second" }
    assert.deepStrictEqual(ends.slice(1), [now, now, owned("SERVICE"), owned("WALLET")])
    // each claim is written: storage decides among all tenants whose it is
    assert.deepStrictEqual(
      writes.keyClaims,
      ["free", "tenant's", "service's", "wallet's"].map((key) => ({ key, holder: "WALLET", by: "second" }))
    )
  })

  it("writes one claim for each key and what needs it, the last", () => {
    const { writes } = run([
      putting(keys("a", "TENANT", "k"), keys("b", "TENANT", "k")),
      putting(keys("a", "SERVICE", "k"))
    ])
    assert.deepStrictEqual(writes.keyClaims, [
      { key: "k", holder: "SERVICE", by: "a" },
      { key: "k", holder: "TENANT", by: "b" }
    ])
  })

  it("takes back what an address has claimed of the tenant's own keys when it is given free, and nothing else", () => {
    const { writes } = run([
      putting(keys("a", "TENANT", "own"), keys("a", "SERVICE", "ours"), keys("b", "TENANT", "own")),
      putting(freed("address", "a"))
    ])
    assert.deepStrictEqual(writes.keyClaims, [
      { key: "ours", holder: "SERVICE", by: "a" },
      { key: "own", holder: "TENANT", by: "b" }
    ])
    assert.deepStrictEqual(writes.keysReleasedBy, ["a"])
  })

  it("lets a command look at the records that it names, and at no others", () => {
    const look = (id: string) => asking([], (view) => view.get(Named, id)?.id ?? null)
    const { ends } = run(
      [
        ...["address", "key", "claimed", "keyed", "stranger"].map(look),
        putting(claimed("new", "claimed"), keys("keyed", "TENANT", "fresh"), keys("late", "TENANT", "kept")),
        ...["claimed", "keyed", "late"].map(look)
      ],
      {
        addresses: { a: { owner: tenant.id, id: "address" } },
        keyOwners: {
          k: { owner: tenant.id, holder: "TENANT", by: "key" },
          kept: { owner: tenant.id, holder: "SERVICE", by: "key" }
        }
      }
    )
    assert.deepStrictEqual(ends, [null, null, "failed", "failed", "failed", null, null, null, "failed"])
  })

  it.each([
    ["an address", whose("a"), asking([readAddress("b")], (view) => view.addressOwner("tron", "a"))],
    ["a key", whoseKey("a"), asking([readKey("b")], (view) => view.keyOwner("a"))]
  ])("shows %s only to who has declared it", (_, right, wrong) => {
    assert.deepStrictEqual(run([right]).ends, [undefined])
    assert.deepStrictEqual(run([wrong]).ends, ["failed"])
  })
})
