import { custodianSuite } from "@bursar/testkit/suites/custodianSuite"
import { pricesSuite } from "@bursar/testkit/suites/pricesSuite"
import { binanceWire } from "./support/binanceWire.ts"
import { bitgetWire } from "./support/bitgetWire.ts"
import { coinbaseWire } from "./support/coinbaseWire.ts"
import { krakenWire } from "./support/krakenWire.ts"
import { okxWire } from "./support/okxWire.ts"
import { layerCustodianWorld, layerPricesWorld, receivers } from "./support/world.ts"

const wires = {
  kraken: () => krakenWire([receivers.USDT_TRON]),
  binance: binanceWire,
  okx: okxWire,
  coinbase: coinbaseWire,
  bitget: bitgetWire
}

for (const [name, open] of Object.entries(wires)) {
  custodianSuite(name, layerCustodianWorld(open), {
    references: name === "kraken" ? ["conversion"] : ["withdrawal", "conversion"],
    conversions: 2,
    has: ["errors", "lost", "silence"]
  })
  pricesSuite(name, layerPricesWorld(open), { has: ["silence"] })
}
