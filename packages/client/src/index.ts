/**
 * The TypeScript client of a Bursar service: typed calls derived from the contract, signing of requests, and verification
 * of webhooks.
 */
export { makeOperatorClient, type OperatorClient, type OperatorClientOptions } from "./OperatorClient.ts"
export {
  type ClientOptions,
  makePartnerClient,
  type PartnerClient,
  type SigningClientOptions
} from "./PartnerClient.ts"
export { makeRequestSigner, RequestNotSignable, type SignableRequest } from "./requestSigner.ts"
export { verifyWebhook, type WebhookDelivery, type WebhookProblem } from "./verifyWebhook.ts"
export { generateSigningKey, KeyUnreadable, PrivateJwk, PublicJwk } from "@bursar/api/signature/Ed25519"
export { makeSigner, type RequestToSign, type Signer } from "@bursar/api/signature/signRequest"
export type { SignatureHeaders } from "@bursar/api/signature/signatureHeaders"
