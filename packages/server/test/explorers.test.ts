import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { assert, describe, it } from "@effect/vitest"
import { type Explorer, explorerOf } from "../src/config/explorers.ts"

describe("the explorer of a network", () => {
  it("is the usual one of each main network: a page for a transaction and one for an address", () => {
    for (const traits of presetNetworks.all) {
      const { address, transaction } = explorerOf({ ...traits, environment: "LIVE" }) ?? assert.fail(traits.name)
      for (const [template, name] of [
        [transaction, "{hash}"],
        [address, "{address}"]
      ] as const) {
        assert.strictEqual(new URL(template).protocol, "https:")
        assert.lengthOf(template.split(name), 2, template)
        assert.isTrue(template.endsWith(name))
      }
    }
  })

  it("is none on a test network, whose coins the usual one does not know, nor on a network of the configuration", () => {
    for (const traits of presetNetworks.all) assert.isNull(explorerOf({ ...traits, environment: "SANDBOX" }))
    assert.isNull(explorerOf({ name: "linea", environment: "LIVE" }))
    assert.isNull(explorerOf({ name: "constructor", environment: "LIVE" }))
  })

  it("is the configured one wherever there is one, and none where it says so", () => {
    const own: Explorer = { transaction: "https://e.example/{hash}", address: "https://e.example/{address}" }
    const configured = new Map([
      ["ethereum", own],
      ["bsc", null]
    ])
    assert.deepStrictEqual(explorerOf({ name: "ethereum", environment: "SANDBOX" }, configured), own)
    assert.isNull(explorerOf({ name: "bsc", environment: "LIVE" }, configured))
    assert.isNotNull(explorerOf({ name: "base", environment: "LIVE" }, configured))
  })
})
