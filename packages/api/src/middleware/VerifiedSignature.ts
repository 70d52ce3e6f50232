import { Context } from "effect"
import type { Verified } from "../signature/verifyRequest.ts"

/** The signature of a signed request, verified; stored with what the request creates. */
export class VerifiedSignature extends Context.Service<
  VerifiedSignature,
  Verified & {
    /** The body byte for byte, whose digest is covered. */
    readonly body: Uint8Array
  }
>()("@bursar/api/VerifiedSignature") {}
