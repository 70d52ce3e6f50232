import { assert, describe, it } from "@effect/vitest"
import { heldPaysText, readHeldPays } from "../src/commands/heldPays.ts"

describe("what a held arrival pays, as an operator says it", () => {
  const pays = { address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", currency: "USDT_ETH", amount_units: "12500000" }

  it("is read as it is shown", () => {
    assert.strictEqual(heldPaysText(pays), `12500000 USDT_ETH to ${pays.address}`)
    assert.deepStrictEqual(readHeldPays(heldPaysText(pays)), pays)
    assert.deepStrictEqual(readHeldPays(`  12500000  USDT_ETH to  ${pays.address} `), pays)
  })

  it("is not guessed", () => {
    for (const text of [
      "",
      "12500000",
      "12500000 USDT_ETH",
      `12.5 USDT_ETH to ${pays.address}`,
      `-1 USDT_ETH to ${pays.address}`,
      `12500000 USDT_ETH ${pays.address}`,
      `12500000 USDT_ETH to ${pays.address} and more`
    ])
      assert.isUndefined(readHeldPays(text), text)
  })
})
