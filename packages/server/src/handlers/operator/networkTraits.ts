import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { Network, NetworkTable, NetworkTraits } from "@bursar/core/money/Network"
import { Effect } from "effect"

/** What is known of the network that an operation is on. A process with a newer configuration may have booked it: then this server says that it lacks the network. */
export const networkTraits = (networks: NetworkTable, name: Network): Effect.Effect<NetworkTraits, ApiError> =>
  networks.has(name)
    ? Effect.succeed(networks.of(name))
    : Effect.fail(
        apiError("provider_unavailable", {
          message: `This server does not know the network ${name}, and nothing was changed. Ask a server that knows it, or start this one with the configuration that has it.`
        })
      )
