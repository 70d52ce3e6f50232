import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { route } from "../annotations/route.ts"
import { wireErrors } from "../errors/wireErrorSchemas.ts"
import { AddressChallenge, AddressChallengeIn, AddressProof, AddressProofIn } from "../wire/AddressProof.ts"

/** Proofs that a tenant has the keys of its own addresses. */
export class AddressProofsGroup extends HttpApiGroup.make("addressProofs")
  .add(
    HttpApiEndpoint.post("challenge", "/v1/address-proofs/challenge", {
      payload: AddressChallengeIn,
      success: AddressChallenge,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        built: true,
        summary: "Get the text to sign",
        description:
          "The text binds the tenant, the network, the address and the time. Nothing is stored; sign it and send it back within the hour.",
        refuses: ["unknown_network", "address_invalid", "not_found", "product_not_enabled"]
      })
    ),
    HttpApiEndpoint.post("prove", "/v1/address-proofs", {
      payload: AddressProofIn,
      success: AddressProof,
      error: wireErrors
    }).annotateMerge(
      route({
        scope: "deposits:write",
        built: true,
        summary: "Prove an address",
        description:
          "Sends the signature of a challenge. Confirmed deposits that waited for the proof are credited, each once. Repeating credits only deposits that still wait.",
        refuses: [
          "unknown_network",
          "address_invalid",
          "not_found",
          "address_proof_invalid",
          "state_conflict",
          "product_not_enabled"
        ]
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Address proofs",
      description:
        "Proofs that the tenant has the keys of the addresses that it has registered or derived. An addition to the contract: where the tenant's settings ask for it, arrivals on such addresses count once they are proven."
    })
  ) {}
