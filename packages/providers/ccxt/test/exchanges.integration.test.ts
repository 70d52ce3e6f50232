import { custodianSuite } from "@bursar/testkit/suites/custodianSuite"
import { pricesSuite } from "@bursar/testkit/suites/pricesSuite"
import { wires } from "./support/wires.ts"
import { layerCustodianWorld, layerPricesWorld } from "./support/world.ts"

for (const [name, open] of Object.entries(wires)) {
  custodianSuite(name, layerCustodianWorld(open), {
    references: name === "kraken" ? ["conversion"] : ["withdrawal", "conversion"],
    conversions: 2,
    sendWithinMs: 120_000,
    absentAfterMs: 600_000,
    // kraken pays memos to addresses that are saved with them alone
    has: ["errors", "lost", "partial", "silence", ...(name === "kraken" ? [] : (["memos"] as const))]
  })
  // binance and kraken do not say of when an offer is
  const dates = ["bitget", "coinbase", "okx"].includes(name)
  pricesSuite(name, layerPricesWorld(open), { has: ["silence", "zero", ...(dates ? (["dates"] as const) : [])] })
}
