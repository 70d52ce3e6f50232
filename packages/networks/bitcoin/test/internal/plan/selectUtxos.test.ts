import { utxoSizes, scriptTypeOf } from "../../../src/internal/plan/UtxoSizes.ts"
import { feeAt, payFromUtxos, sumOf, vbytesOf } from "../../../src/internal/plan/payFromUtxos.ts"
import { type UtxoChoice, type UtxoSelection, selectUtxos } from "../../../src/internal/plan/selectUtxos.ts"
import type { Utxo } from "@bursar/core/port/Utxo"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const p2wpkh = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
const p2wsh = "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"
const p2tr = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"
const p2pkh = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"
const p2sh = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"

const utxo = (units: bigint, serial: number, address = p2wpkh): Utxo => ({
  txHash: serial.toString(16).padStart(64, "0"),
  vout: 0,
  units,
  address
})

const utxosOf = (...units: ReadonlyArray<bigint>): ReadonlyArray<Utxo> => units.map((one, serial) => utxo(one, serial))

const choice = (parts: Partial<UtxoChoice> & Pick<UtxoChoice, "utxos">): UtxoChoice => ({
  targets: [{ to: p2wpkh, units: 100_000n }],
  changeTo: p2wpkh,
  feeRate: 1_000n,
  reserveRate: null,
  sizes: utxoSizes,
  ...parts
})

/** The units of the coins that were chosen, or what is missing. */
const unitsOf = (selection: UtxoSelection): ReadonlyArray<bigint> | bigint =>
  selection._tag === "Selected" ? selection.utxos.map(({ units }) => units) : selection.units

describe("coinSizes", () => {
  it.each([
    [p2wpkh, "p2wpkh"],
    ["tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "p2wpkh"],
    ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "p2wpkh"],
    [p2wsh, "p2wsh"],
    [p2tr, "p2tr"],
    [p2pkh, "p2pkh"],
    ["mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "p2pkh"],
    [p2sh, "p2sh"],
    ["2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc", "p2sh"]
  ])("knows that %s is %s", (address, type) => {
    assert.strictEqual(scriptTypeOf(address), type)
  })

  it.each([
    "",
    "nobody",
    "0x00000000000000000000000000000000000000aa",
    "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
    "bc1qw508d6qejx"
  ])("throws on %j, which was to be refused before", (address) => {
    assert.throws(() => scriptTypeOf(address))
  })

  it("has the size of the usual payment, at most", () => {
    assert.strictEqual(vbytesOf([utxo(1n, 1)], [p2wpkh, p2wpkh], utxoSizes), 145n)
  })
})

describe("selectCoins", () => {
  it.each<readonly [string, Partial<UtxoChoice> & Pick<UtxoChoice, "utxos">, ReadonlyArray<bigint> | bigint]>([
    ["the smallest coin that suffices", { utxos: utxosOf(5_000_000n, 200_000n, 150_000n, 50_000n) }, [150_000n]],
    ["the largest first where one does not suffice", { utxos: utxosOf(30_000n, 60_000n, 55_000n) }, [60_000n, 55_000n]],
    [
      "the smallest that will do as the last one",
      { utxos: utxosOf(90_000n, 80_000n, 15_000n, 5_000n) },
      [90_000n, 15_000n]
    ],
    ["all of them where all are needed", { utxos: utxosOf(60_000n, 30_000n, 12_000n) }, [60_000n, 30_000n, 12_000n]],
    ["nothing from nothing: the payment and its fee are missing", { utxos: [] }, 100_046n],
    ["what is missing with its fee", { utxos: utxosOf(100_000n) }, 114n],
    ["no coin that costs more than it holds", { utxos: utxosOf(90_000n, 1_000n, 999n), feeRate: 20_000n }, 12_280n],
    ["no coin that cannot be spent here", { utxos: [utxo(200_000n, 1, p2tr), utxo(190_000n, 2, p2wsh)] }, 100_046n],
    ["no more coins than allowed", { utxos: utxosOf(60_000n, 30_000n, 12_000n), utxosMax: 2 }, 10_182n],
    [
      "a coin with room for a dearer replacement, where there is one",
      { utxos: utxosOf(101_000n, 150_000n), reserveRate: 100_000n },
      [150_000n]
    ],
    [
      "a coin without room for a replacement, where there is none with it",
      { utxos: utxosOf(101_000n, 102_000n), reserveRate: 1_000_000n },
      [101_000n]
    ]
  ])("chooses %s", (_, parts, expected) => {
    assert.deepStrictEqual(unitsOf(selectUtxos(choice(parts))), expected)
  })

  it("pays change that is worth an output, and drops dust to the fee", () => {
    const fee = 145n
    const feeWithout = 114n
    const dust = 294n
    assert.deepInclude(selectUtxos(choice({ utxos: utxosOf(100_000n + fee + dust) })), { fee, change: dust })
    assert.deepInclude(selectUtxos(choice({ utxos: utxosOf(100_000n + fee + dust - 1n) })), {
      fee: fee + dust - 1n,
      change: 0n
    })
    assert.deepInclude(selectUtxos(choice({ utxos: utxosOf(100_000n + feeWithout) })), { fee: feeWithout, change: 0n })
  })

  it("holds change to P2TR to 330 satoshi", () => {
    const fee = 157n
    const parts = { changeTo: p2tr }
    assert.deepInclude(selectUtxos(choice({ ...parts, utxos: utxosOf(100_000n + fee + 330n) })), { change: 330n })
    assert.deepInclude(selectUtxos(choice({ ...parts, utxos: utxosOf(100_000n + fee + 329n) })), { change: 0n })
  })

  it("throws where there is nobody to pay", () => {
    assert.throws(() => selectUtxos(choice({ utxos: utxosOf(1n), targets: [] })))
  })

  const choices = fc.record({
    utxos: fc
      .array(
        fc.record({
          units: fc.bigInt({ min: 1n, max: 10_000_000n }),
          address: fc.constantFrom(p2wpkh, p2pkh, p2sh, p2tr)
        }),
        { maxLength: 30 }
      )
      .map((all) => all.map(({ address, units }, serial) => utxo(units, serial, address))),
    targets: fc.array(
      fc.record({
        to: fc.constantFrom(p2wpkh, p2wsh, p2tr, p2pkh, p2sh),
        units: fc.bigInt({ min: 546n, max: 20_000_000n })
      }),
      { minLength: 1, maxLength: 5 }
    ),
    changeTo: fc.constantFrom(p2wpkh, p2pkh, p2sh, p2tr),
    feeRate: fc.bigInt({ min: 1_000n, max: 500_000n }),
    reserveRate: fc.option(fc.bigInt({ min: 1_000n, max: 1_000_000n })),
    sizes: fc.constant(utxoSizes),
    utxosMax: fc.integer({ min: 1, max: 30 })
  })

  it("spends what it pays, its change and its fee, to the satoshi, and never less than the rate asks", () => {
    fc.assert(
      fc.property(choices, (one) => {
        const selection = selectUtxos(one)
        if (selection._tag === "Missing") return
        const { change, utxos, fee } = selection
        assert.strictEqual(sumOf(utxos), sumOf(one.targets) + change + fee)
        assert.strictEqual(new Set(utxos).size, utxos.length)
        assert.isTrue(utxos.length <= one.utxosMax && utxos.every((each) => one.utxos.includes(each)))
        assert.isTrue(change === 0n || change >= utxoSizes.dust[scriptTypeOf(one.changeTo)])
        const receivers = one.targets.map(({ to }) => to)
        const vbytes = vbytesOf(utxos, change === 0n ? receivers : [...receivers, one.changeTo], utxoSizes)
        const least = feeAt(one.feeRate, vbytes)
        if (change > 0n) assert.strictEqual(fee, least)
        // Without change the fee takes what is left: less than the least change and what its output would have cost.
        const dearest = feeAt(one.feeRate, 43n) + 546n + 1n
        assert.isTrue(fee >= least && fee <= least + dearest)
      }),
      { numRuns: 500 }
    )
  })

  it("chooses the same whatever the order of the coins", () => {
    fc.assert(
      fc.property(choices, (one) => {
        assert.deepStrictEqual(selectUtxos({ ...one, utxos: one.utxos.toReversed() }), selectUtxos(one))
      })
    )
  })

  it("finds nothing missing where the worthwhile coins suffice, and outbound transactions as few as can be where all cost the same", () => {
    fc.assert(
      fc.property(choices, (one) => {
        const utxos = one.utxos.map((each) => ({ ...each, address: p2wpkh }))
        const plain = { ...one, utxos, utxosMax: 30, reserveRate: null }
        const feeOf = (vbytes: bigint) => feeAt(one.feeRate, vbytes)
        const largest = utxos
          .filter(({ units }) => units * 4n > feeAt(one.feeRate, 272n))
          .toSorted((a, b) => Number(b.units - a.units))
        const fewest = largest.findIndex(
          (_, index) => payFromUtxos({ ...plain, utxos: largest.slice(0, index + 1), feeOf })._tag === "Enough"
        )
        const selection = selectUtxos(plain)
        assert.strictEqual(selection._tag === "Selected" ? selection.utxos.length : 0, fewest + 1)
      })
    )
  })

  it("could do with as much more as it says is missing, and with not a satoshi less", () => {
    fc.assert(
      fc.property(choices, (one) => {
        const free = { ...utxoSizes, input: { ...utxoSizes.input, p2wsh: 0n } }
        const plain = { ...one, utxosMax: 31, reserveRate: null }
        const selection = selectUtxos({ ...plain, sizes: free })
        if (selection._tag === "Selected") return
        const more = (units: bigint) =>
          selectUtxos({ ...plain, sizes: free, utxos: [...one.utxos, utxo(units, 99, p2wsh)] })
        assert.strictEqual(more(selection.units)._tag, "Selected")
        assert.strictEqual(more(selection.units - 1n)._tag, "Missing")
      })
    )
  })
})
