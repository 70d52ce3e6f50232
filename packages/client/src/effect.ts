/** The client for those who use Effect: every call of the contract as an effect, over an `HttpClient`. */
export { AttemptLost } from "./call/AttemptLost.ts"
export { CallOverrides, type Patience, type PatienceOptions, type RetrySettings } from "./call/CallSettings.ts"
export { CallTimedOut } from "./call/withRetries.ts"
export { type ConsumeOptions, consumeEvents, type ConsumerPace, CursorStoreFailed } from "./event/consumeEvents.ts"
export { type CursorStore, memoryCursorStore } from "./event/CursorStore.ts"
export { isDepositEvent, isOperationEvent } from "./event/eventData.ts"
export { makeOperatorClient, type OperatorClient, type OperatorClientOptions } from "./OperatorClient.ts"
export { eachDeposit, eachDepositAddress, eachEvent, eachRegisterEntry } from "./page/streams.ts"
export {
  makePartnerClient,
  type PartnerClient,
  type PartnerClientOptions,
  type SigningClientOptions
} from "./PartnerClient.ts"
export { openSigner, RequestNotSignable, type SignableRequest, signatureHeadersOf } from "./requestSigner.ts"
export { generateSigningKey, KeyUnreadable, PrivateJwk, PublicJwk } from "@bursar/api/signature/Ed25519"
export { makeSigner, type RequestToSign, type Signer } from "@bursar/api/signature/signRequest"
export { type SignatureHeaders } from "@bursar/api/signature/signatureHeaders"
