import { PartnerApi } from "@bursar/api/PartnerApi"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { quote } from "./quote.ts"
import { get, list, pairs } from "./read.ts"
import { swap } from "./swap.ts"

/** Pairs, quotes and swaps. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "conversions",
  Effect.fnUntraced(function* (handlers) {
    return handlers.handleAll({
      pairs: yield* pairs,
      quote: yield* quote,
      swap: yield* swap,
      list: yield* list,
      get: yield* get
    })
  })
)
