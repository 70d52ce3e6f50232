import { verifyMessage } from "@bursar/bitcoin/Keys"
import { assert, describe, it } from "@effect/vitest"

const p2wpkh = "bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l"
const p2tr = "bc1ppv609nr0vr25u07u95waq5lucwfm6tde4nydujnu8npg4q75mr5sxq8lt3"
const p2pkh = "1F3sAm6ZtwLAUnj7d38pGFxtP3RVEvtsbV"

/** The vectors of BIP 322, those for P2TR from Bitcoin Core's own tests, and a message as wallets sign it in the older form. */
const vectors: ReadonlyArray<readonly [address: string, message: string, signature: string]> = [
  [
    p2wpkh,
    "",
    "AkcwRAIgM2gBAQqvZX15ZiysmKmQpDrG83avLIT492QBzLnQIxYCIBaTpOaD20qRlEylyxFSeEA2ba9YOixpX8z46TSDtS40ASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI="
  ],
  [
    p2wpkh,
    "Hello World",
    "AkcwRAIgZRfIY3p7/DoVTty6YZbWS71bc5Vct9p9Fia83eRmw2QCICK/ENGfwLtptFluMGs2KsqoNSk89pO7F29zJLUx9a/sASECx/EgAxlkQpQ9hYjgGu6EBCPMVPwVIVJqO4XCsMvViHI="
  ],
  [p2tr, "Hello World", "AUHd69PrJQEv+oKTfZ8l+WROBHuy9HKrbFCJu7U1iK2iiEy1vMU5EfMtjc+VSHM7aU0SDbak5IUZRVno2P5mjSafAQ=="],
  [
    p2pkh,
    "This is an example of a signed message.",
    "H9L5yLFjti0QTHhPyFrZCT1V/MMnBtXKmoiKDZ78NDBjERki6ZTQZdSMCtkgoNmp17By9ItJr8o7ChX0XxY91nk="
  ]
]

describe("a message signed with the key of an address on bitcoin", () => {
  for (const [address, message, signature] of vectors) {
    it(`is taken for ${address} (${message === "" ? "empty" : message}), and for no other text, address or signature`, () => {
      assert.isTrue(verifyMessage("main", address, message, signature))
      assert.isFalse(verifyMessage("main", address, `${message} `, signature))
      for (const [other] of vectors) {
        if (other !== address) assert.isFalse(verifyMessage("main", other, message, signature), other)
      }
      const bytes = Buffer.from(signature, "base64")
      for (let at = 0; at < bytes.length; at++) {
        const broken = Buffer.from(bytes)
        broken[at] = (bytes[at] ?? 0) ^ 0x01
        // of two ways to write one recoverable signature's header, another address form may be meant: the key is the same
        if (at === 0 && bytes.length === 65) continue
        assert.isFalse(verifyMessage("main", address, message, broken.toString("base64")), `byte ${at}`)
      }
      for (const junk of ["", "!", signature.slice(4), `${signature}AAAA`, Buffer.alloc(65).toString("base64")]) {
        assert.isFalse(verifyMessage("main", address, message, junk), junk)
      }
    })
  }
})
