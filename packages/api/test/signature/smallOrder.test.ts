import { importPublicKey } from "@bursar/api/signature/Ed25519"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

/** The points of small order, without and with the sign of x where that is another text. */
const points = [
  "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_AU",
  "xxdqcD1N2E-6PAt2DRBnDyogU_osOczGTsf9d5KsA3o",
  "7P_______________________________________38",
  "7f_______________________________________38",
  "7v_______________________________________38",
  "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIA",
  "7P________________________________________8"
]

describe("the key that a partner signs with", () => {
  it.effect.each(points)("is not one by which anybody's signatures verify: %s", (x) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(importPublicKey({ x }))
      assert.match(message, /small order/u)
    })
  )
})
