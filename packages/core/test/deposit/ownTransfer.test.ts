import { AddressProof, xpubProofs } from "@bursar/core/address/AddressProof"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { missingProof } from "@bursar/core/deposit/awaitProof"
import { creditConfirmed } from "@bursar/core/deposit/creditConfirmed"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { depositsAt } from "@bursar/core/deposit/depositsAt"
import { ownPart } from "@bursar/core/deposit/ownTransfer"
import type { View } from "@bursar/core/engine/View"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { type AddressOrigin, defaultPolicy } from "@bursar/core/tenant/Tenant"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const tenant = tenantRecord(0, { policy: { ...defaultPolicy, addressProofRequired: true } })
const [own, theirs, strange] = ["0xown", "0xtheirs", "0xstrange"] as const

const address = (origin: AddressOrigin, more: Partial<DepositAddress> = {}) =>
  ({ id: own, network: "ethereum", address: own, origin, xpubId: null, ...more }) as DepositAddress // all that is looked at

let ids = 0

/** A tenant with an address of its own, next to another tenant's, and with so much on its addresses. */
const view = (
  held: Readonly<Record<string, bigint>>,
  {
    origin = "REGISTERED",
    proven = []
  }: { readonly origin?: AddressOrigin; readonly proven?: ReadonlyArray<string> } = {}
) =>
  ({
    tenant,
    now: 5,
    newId: () => `id-${++ids}`,
    nextEventId: () => ++ids,
    nextChangeSeq: () => ++ids,
    addressOwner: (_: string, one: string) =>
      one === own ? { owner: tenant.id, id: own } : one === theirs ? { owner: "another", id: theirs } : undefined,
    balance: (account: string, currency: string) => ({ units: held[`${account} ${currency}`] ?? 0n }),
    get: (of: unknown, key: string) =>
      of === AddressProof ? proven.find((one) => one === key) && { subject: key } : address(origin),
    group: (_: unknown, group: string) =>
      group === xpubProofs ? proven.filter((one) => one.startsWith("xpub|")).map((subject) => ({ subject })) : []
  }) as unknown as View // all of a view that is looked at

const tether = "USDT_ETH"
const here = `chain:ethereum:tenant ${tether}`
const sent = (units: bigint, fromAddress: string | null) =>
  ({ network: "ethereum", currency: tether, units, fromAddress }) as const

describe("what the float has of an arrival already", () => {
  it("is what the tenant has moved from an address of its own, and no more than was credited there", () => {
    const amounts = fc.bigInt(-50n, 100n)
    fc.assert(
      fc.property(amounts, amounts, fc.bigInt(1n, 100n), (booked, command, units) => {
        const credited = booked + command < 0n ? 0n : booked + command
        const part = ownPart(view({ [here]: booked }), sent(units, own), command)
        assert.strictEqual(part, credited < units ? credited : units)
      })
    )
  })

  it("is nothing of what comes from anybody else, or nobody knows from where", () => {
    for (const from of [theirs, strange, null])
      assert.strictEqual(ownPart(view({ [here]: 99n }), sent(7n, from), 0n), 0n)
  })

  it("is nothing of what leaves addresses whose keys the service holds: that was never credited there", () => {
    for (const origin of ["ISSUED", "IMPORTED"] as const)
      assert.strictEqual(ownPart(view({ [here]: 99n }, { origin }), sent(7n, own), 0n), 0n)
    assert.strictEqual(ownPart(view({ [here]: 99n }, { origin: "DERIVED" }), sent(7n, own), 0n), 7n)
  })

  it("is of its network and currency", () => {
    const elsewhere = view({ "chain:base:tenant USDT_ETH": 99n, "chain:ethereum:tenant USDC_ETH": 99n })
    assert.strictEqual(ownPart(elsewhere, sent(7n, own), 0n), 0n)
  })
})

const deposit = (more: Partial<Deposit>): Deposit => ({
  id: `d-${++ids}`,
  tenantId: tenant.id,
  network: "ethereum",
  txHash: `0x${++ids}`,
  transferIndex: 0,
  addressId: "a",
  address: "0x1",
  reference: "r",
  currency: tether,
  units: 10n,
  fromAddress: own,
  block: { number: 7, hash: "b", time: 5 },
  confirmations: 1,
  requiredConfirmations: 1,
  status: "CONFIRMED",
  historical: false,
  detectedAt: 1,
  confirmedAt: 2,
  reorgedAt: null,
  changeSeq: 1,
  creditedBy: null,
  ownUnits: 0n,
  ...more
})

describe("deposits that one command confirms", () => {
  it("share what was credited on the tenant's own addresses: the same coins are not moved twice", () => {
    const onOwn = new Map<string, bigint>()
    const before = view({ [here]: 15n, "chain:ethereum:tenant USDC_ETH": 4n, "chain:base:tenant USDC_BASE": 0n })
    const parts = (
      [
        [{}, "ISSUED"],
        [{}, "ISSUED"],
        [{}, "ISSUED"],
        // another currency, and another network, have coins of their own
        [{ currency: "USDC_ETH" }, "ISSUED"],
        [{ network: "base", currency: "USDC_BASE" }, "ISSUED"],
        // what comes to an address of the tenant's own is there to be moved on
        [{ fromAddress: strange, units: 6n }, "REGISTERED"],
        [{}, "ISSUED"],
        // and what it moves between its own addresses stays there
        [{ fromAddress: strange, units: 3n }, "REGISTERED"],
        [{ units: 3n }, "DERIVED"],
        [{}, "ISSUED"]
      ] as const
    ).map(([more, origin]) => {
      const credited = creditConfirmed(before, defaultCurrencies, deposit(more), address(origin), onOwn)
      assert.isNotNull(credited.deposit.creditedBy)
      return credited.deposit.ownUnits
    })
    assert.deepStrictEqual(parts, [10n, 5n, 0n, 4n, 0n, 0n, 6n, 0n, 3n, 3n])
  })
})

describe("what has to be proven before an arrival counts", () => {
  const missing = (of: DepositAddress, ...proven: ReadonlyArray<string>) =>
    missingProof(view({}, { proven }), of, presetNetworks)

  it("is the address itself, by its family, or the extended public key that it was derived from: no other one", () => {
    const family = presetNetworks.of("ethereum").family
    assert.strictEqual(missing(address("REGISTERED")), `${family}|${own}`)
    assert.isUndefined(missing(address("REGISTERED"), `${family}|${own}`))
    assert.strictEqual(missing(address("REGISTERED"), `${family}|0xother`, "xpub|x"), `${family}|${own}`)
    const derived = address("DERIVED", { xpubId: "x" })
    assert.strictEqual(missing(derived), "xpub|x")
    assert.isUndefined(missing(derived, "xpub|x"))
    assert.strictEqual(missing(derived, "xpub|y", `${family}|${own}`), "xpub|x")
    assert.isUndefined(missing(derived, "xpub|y", "xpub|x"))
    // a registered address that somebody says to have an extended key is proven by itself
    assert.strictEqual(missing(address("REGISTERED", { xpubId: "x" }), "xpub|x"), `${family}|${own}`)
    assert.isUndefined(missing(address("REGISTERED", { xpubId: "x" }), `${family}|${own}`))
  })

  it("is nothing where the service holds the key", () => {
    for (const origin of ["ISSUED", "IMPORTED"] as const) assert.isUndefined(missing(address(origin)))
  })
})

it("the deposits on an address are told in the order of their changes", () => {
  const all = [3, 1, 2].map((changeSeq) => deposit({ changeSeq }))
  const stored = { group: () => all } as unknown as View // all that is looked at
  assert.deepStrictEqual(
    depositsAt(stored, "0x1").map(({ changeSeq }) => changeSeq),
    [1, 2, 3]
  )
})
