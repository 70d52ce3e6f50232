import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { canonicalHash, evidenceKey } from "@bursar/core/payout/PayoutEvidence"
import { newPayout, phaseOfPayout } from "@bursar/core/payout/Payout"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { type PayoutRequest, readPayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { makeNetworks } from "@bursar/core/port/Networks"
import { writeMemo } from "@bursar/core/port/MemoText"
import { makeFakeNetwork } from "@bursar/testkit/fixtures/FakeNetwork"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"

const contractOf = (code: string): string => currencies.byCode(code)?.asset?.contract ?? assert.fail(`no ${code}`)

/** Addresses are written in capitals where they are canonical. */
const readable = {
  parseAddress: (text: string) =>
    text.startsWith("!") ? Result.fail("It is none.") : Result.succeed(text.toUpperCase())
}

const networks = makeNetworks([
  makeFakeNetwork("ethereum", readable),
  makeFakeNetwork("stellar", {
    ...readable,
    accountOf: (address) => (address.startsWith("M:") ? address.slice(2) : undefined),
    readMemo: (_to, value) => Result.succeed({ type: "text", value })
  })
])

const asked = (more: Partial<PayoutRequest> = {}): PayoutRequest => ({
  amount: { amount: "12.5", currency: "USDT_ETH" },
  network: "ethereum",
  destination: { address: "0xabc", memo: null },
  ...more
})

const read = (more: Partial<PayoutRequest> = {}) => readPayoutOrder(asked(more), currencies, networks)

const codeOf = (more: Partial<PayoutRequest>) =>
  Result.match(read(more), { onSuccess: () => "read", onFailure: ({ code }) => code })

describe("a request for a chain payout", () => {
  it("is read by its currency and its network", () => {
    assert.deepStrictEqual(Result.getOrThrow(read()), {
      network: "ethereum",
      currency: "USDT_ETH",
      contract: contractOf("USDT_ETH"),
      units: 12_500_000n,
      to: "0XABC",
      memo: null
    })
    const memo = read({
      amount: { amount: "1", currency: "XLM" },
      network: "stellar",
      destination: { address: "g", memo: "7" }
    })
    assert.deepInclude(Result.getOrThrow(memo), { contract: null, to: "G", memo: { type: "text", value: "7" } })
  })

  it("is refused for a network that is off, a currency of another network, and whatever cannot be read", () => {
    assert.strictEqual(codeOf({ network: "base" }), "unknown_network")
    for (const currency of ["USDC_BASE", "EUR", "NONE"])
      assert.strictEqual(codeOf({ amount: { amount: "1", currency } }), "unsupported_asset", currency)
    assert.strictEqual(codeOf({ amount: { amount: "1.1234567", currency: "USDT_ETH" } }), "amount_too_precise")
    assert.strictEqual(codeOf({ destination: { address: "!", memo: null } }), "address_invalid")
    assert.strictEqual(codeOf({ destination: { address: "0xabc", memo: "7" } }), "memo_invalid")
  })

  it("is refused where it would pay the contract of any asset of the network, however that is written", () => {
    const codes = ["USDT_ETH", "USDC_ETH"]
    for (const contract of codes.map(contractOf))
      for (const address of [contract, contract.toLowerCase(), contract.toUpperCase()])
        assert.strictEqual(codeOf({ destination: { address, memo: null } }), "address_invalid", address)
    const issuer = contractOf("USDC_XLM").split(":").at(-1) ?? ""
    const stellar = { amount: { amount: "1", currency: "XLM" }, network: "stellar" }
    for (const address of [issuer, `m:${issuer}`])
      assert.strictEqual(codeOf({ ...stellar, destination: { address, memo: null } }), "address_invalid", address)
    const elsewhere = contractOf("USDC_BASE")
    assert.strictEqual(codeOf({ destination: { address: elsewhere, memo: null } }), "read", "there it is nothing")
  })
})

describe("the hash of a transaction", () => {
  const digits = "0123456789abcdefABCDEF".padEnd(64, "7")

  it("is read with and without its prefix, in either case, and written as its network does", () => {
    for (const hashPrefix of ["0x", ""] as const)
      for (const text of [digits, `0x${digits}`, `0X${digits.toUpperCase()}`])
        assert.strictEqual(canonicalHash({ hashPrefix }, text), `${hashPrefix}${digits.toLowerCase()}`)
  })

  it("has its length and its digits, and nothing beside", () => {
    for (const text of ["", "0x", digits.slice(1), `${digits}7`, `7${digits}`, `0x0x${digits}`, `${digits.slice(1)}g`])
      assert.isUndefined(canonicalHash({ hashPrefix: "0x" }, text), text)
  })

  it("is the key of evidence, so that a transaction speaks of one payout; a note has a key of its own", () => {
    assert.strictEqual(evidenceKey("base", "0x1", "a"), evidenceKey("base", "0x1", "b"))
    assert.notStrictEqual(evidenceKey("base", "0x1", "a"), evidenceKey("ethereum", "0x1", "a"))
    assert.notStrictEqual(evidenceKey("base", null, "a"), evidenceKey("base", null, "b"))
  })
})

describe("how far a payout has come", () => {
  const order = { network: "base", currency: "USDC_BASE", contract: null, units: 5n, to: "0xa", memo: null }
  const payout = newPayout("operation", order, "maker")

  it("is as far as the transaction that it names, and no further than waiting where it names none", () => {
    assert.isFalse(payout.alone)
    assert.strictEqual(phaseOfPayout(payout, undefined), "HELD")
    assert.strictEqual(phaseOfPayout(payout, { id: "t", phase: "FINAL" }), "HELD")
    const named = { ...payout, transactionId: "t" }
    for (const phase of ["RESERVED", "FINAL"] as const)
      assert.strictEqual(phaseOfPayout(named, { id: "t", phase }), phase)
    for (const other of [undefined, { id: "u", phase: "FINAL" } as const])
      assert.throws(() => phaseOfPayout(named, other), "operation is in transaction t")
  })
})

describe("the memo that a payout tells", () => {
  it("is the text that asks for the same memo again", () => {
    for (const type of ["text", "id", "hash", "return"] as const) {
      const value = "42"
      const details = { destination: { address: "G", memo: value, memo_type: type } }
      assert.strictEqual(payoutDetails({ details }).memo, writeMemo({ type, value }), type)
    }
    assert.isNull(payoutDetails({ details: { destination: { address: "G", memo: null, memo_type: "id" } } }).memo)
  })
})
