import { custodianSuite } from "@bursar/testkit/suites/custodianSuite"
import { pricesSuite } from "@bursar/testkit/suites/pricesSuite"
import { wires } from "./support/wires.ts"
import { layerCustodianWorld, layerPricesWorld } from "./support/world.ts"

for (const [name, open] of Object.entries(wires)) {
  custodianSuite(name, layerCustodianWorld(open), {
    references: name === "kraken" ? ["conversion"] : ["withdrawal", "conversion"],
    conversions: 2,
    has: ["errors", "lost", "silence"]
  })
  pricesSuite(name, layerPricesWorld(open), { has: ["silence"] })
}
