import { PartnerApi } from "@bursar/api/PartnerApi"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { notServed } from "./notServed.ts"

/** The groups of the contract of which this release serves nothing. */
export const layer = Layer.mergeAll(
  HttpApiBuilder.group(PartnerApi, "customers", (handlers) =>
    handlers.handleAll({
      create: notServed,
      registerWithProvider: notServed,
      startVerification: notServed,
      verification: notServed
    })
  ),
  HttpApiBuilder.group(PartnerApi, "accounts", (handlers) =>
    handlers.handleAll({ create: notServed, get: notServed, entries: notServed })
  ),
  HttpApiBuilder.group(PartnerApi, "transfers", (handlers) =>
    handlers.handleAll({ create: notServed, list: notServed, get: notServed })
  )
)
