import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { idleNodes, layerNetworksAlone } from "./support/idleNodes.ts"

const onEvm = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
const message = "Hello World"

describe("who signed a message", () => {
  it.effect("is told on each network by its own standard, and by no other network's", () =>
    Effect.gen(function* () {
      const networks = yield* Networks
      const evm = [onEvm.address, yield* Effect.promise(() => onEvm.signMessage({ message }))] as const
      const bitcoin = [
        "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l",
        "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI="
      ] as const
      for (const network of presetNetworks.all.map(({ name }) => name)) {
        const { verifyMessage: verify } = adapterOf(networks, network).keys
        const isEvm = network === "ethereum" || network === "bsc" || network === "base"
        assert.strictEqual(yield* verify(evm[0], message, evm[1]), isEvm, network)
        assert.strictEqual(yield* verify(bitcoin[0], message, bitcoin[1]), network === "bitcoin", network)
      }
    }).pipe(Effect.provide(layerNetworksAlone(idleNodes, defaultCurrencies)))
  )
})
