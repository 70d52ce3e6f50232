import { verifyMessage as onBitcoin } from "@bursar/bitcoin/verifyMessage"
import type { NetworkTable } from "@bursar/core/money/Network"
import { MessageProofs } from "@bursar/core/port/MessageProofs"
import { verifyMessage as onEvm } from "@bursar/evm/verifyMessage"
import { verifyMessage as onStellar } from "@bursar/stellar/verifyMessage"
import { verifyMessage as onTron } from "@bursar/tron/verifyMessage"
import { Effect, Layer } from "effect"
import type { NetworkSettings } from "../config/NetworkSettings.ts"

/** Who signed a message, on each network by its own standard. */
export const layerMessageProofs = (
  settings: ReadonlyArray<NetworkSettings>,
  networks: NetworkTable
): Layer.Layer<MessageProofs> =>
  Layer.sync(MessageProofs, () => {
    const chain = settings.find((one) => one.family === "bitcoin")?.chain ?? "main"
    return MessageProofs.of({
      verify: (network, address, message, signature) => {
        switch (networks.of(network).family) {
          case "bitcoin":
            return Effect.sync(() => onBitcoin(chain, address, message, signature))
          case "stellar":
            return Effect.sync(() => onStellar(address, message, signature))
          case "tron":
            return Effect.sync(() => onTron(address, message, signature))
          default:
            return onEvm(address, message, signature)
        }
      }
    })
  })
