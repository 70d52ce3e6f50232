import type { ExchangeName } from "../ExchangeName.ts"
import { binance } from "../exchange/binance.ts"
import { bitget } from "../exchange/bitget.ts"
import { coinbase } from "../exchange/coinbase.ts"
import { kraken } from "../exchange/kraken.ts"
import { okx } from "../exchange/okx.ts"
import type { Profile } from "./Profile.ts"

/** What is known of each exchange. */
export const profiles: Readonly<Record<ExchangeName, Profile>> = { binance, bitget, coinbase, kraken, okx }
