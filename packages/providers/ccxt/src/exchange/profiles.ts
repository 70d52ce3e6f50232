import type { ExchangeName } from "../ExchangeName.ts"
import { binance } from "./binance.ts"
import { bitget } from "./bitget.ts"
import { coinbase } from "./coinbase.ts"
import { kraken } from "./kraken.ts"
import { okx } from "./okx.ts"
import type { Profile } from "../internal/Profile.ts"

/** What is known of each exchange. */
export const profiles: Readonly<Record<ExchangeName, Profile>> = { binance, bitget, coinbase, kraken, okx }
