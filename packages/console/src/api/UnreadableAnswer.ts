/** An answer came that breaks the contract: another version of the service gave it, or something in between. */
export class UnreadableAnswer extends Error {}
