import { binanceWire } from "./binanceWire.ts"
import { bitgetWire } from "./bitgetWire.ts"
import { coinbaseWire } from "./coinbaseWire.ts"
import { krakenWire } from "./krakenWire.ts"
import { okxWire } from "./okxWire.ts"
import { receivers } from "./world.ts"

/** Every exchange, each opened anew. */
export const wires = {
  kraken: () => krakenWire([receivers.USDT_TRON]),
  binance: binanceWire,
  okx: okxWire,
  coinbase: coinbaseWire,
  bitget: bitgetWire
} as const
