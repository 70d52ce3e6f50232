import { createPrivateKey, createPublicKey } from "node:crypto"

/** A key that every vault of every world wraps keys with: it takes half a second to make one, and another each time (RSA, 3,072 bits; PKCS #8, DER). */
const der = [
  "MIIG/QIBADANBgkqhkiG9w0BAQEFAASCBucwggbjAgEAAoIBgQC8IKi75N1WLjU2cLRY0iOubIfyo3iT2exh5oS0JTiNOnrfNnTZ",
  "+35NAe4FTIr4HW7yVatyh0RT0l5l+2FBfwOPsGP4OSDfxlLlkC3FWbJp742jEqaI+PpKUseIz/yL1FJ7dwlz2uYQoHvLAR5YfDof",
  "JBBSI8LmBrj6GpBUwnFur+sNZgf+rfLh/wyEqzE7OERZ06oh3S0lo7We3LUKB1imzsk1fujQjozBX1jvpC6WF8QgNFtkAYTO7vw9",
  "RfUpD97IsC19e389GpYZUv+OLIAnoQodPHKusBPb8uqLtJjYON46Rp2SFQzosls9Etik3ZHjCpMoOM+jMxPeGGTL1/fyUj/SHyEO",
  "kAzSpVHPPOSaZfuYDK6/1FDkjxG4hOTMHMmSV3Lt/xZc+XqrJ8PEyWaWRJ0gDszwjDV9GQXYLKJiwp2JDuDjIn8mE6y/IGBr950j",
  "ODxkr/OnXLpcNimG1V+k3dggT2mwx8je/NdvsEGZVipaxFmGn9u8jgQ9G/k7k88CAwEAAQKCAYAEIRljCmp7TkdXuxCSVIZ4+SPg",
  "xQrMAAAKxBMMmzaLDwoMZTcaY8VJbm3pit0QBiFdy1iYinSK/Haa+XIQjHepCz+efq6Eiudd55TBnK7oWVw8BJhIMGLaB8gebiZG",
  "cXIgCKRZ+SeMnOEquwsN+SgTb+i1zNgl0Wb1AmlBmwT/X3gi0qcBRZMrt7vwG4vYl2sUp6s31BF+HoJJiuGkZzXgb3CGLpNwpHhd",
  "dDjRBcMKA1qING3/G3NtUVyTAbqYXKNHAffXaiuaTv4KMrV50z8bTgfcU1t/+ryXMkUUZewX0MUDIhofJrV7NslSPqJkdNy/uINq",
  "dqN6mykwpTLlP1KIg6I8vcDl/UEWlUvddwlIdvr6l+sDixxLq5gsJloytRnfgkIcPAlBJikjCeb/pPfGqHr4Zba1NDSxyFAlo/tx",
  "qYgcb9OKfNGtw5BOYZxyJbc12YpgR0qAuB3FJWqj60F1bkw0syi8ED9K2Yi9ab1LZctZR0KhlHJ+yybya5v4qP0CgcEA+I8bmQVU",
  "CIcKEsWSg4d5CwZXjLqPB3Ng805+JRC4w8QfVBkT6XqUsBgAHjRV9dfXyuGrDdDkEMZ9s1jfddvWI27VWBt9m3dzcaINVsrj6jOM",
  "+KVnp1J46RuLRZHmDAY2EXJpMMxlwjhVlq8UcS776eYat96ZHCBOOFu9sxrVQOVXqKKO5GOJI+BsaLS1iTqjqktdzagdHcrGuYei",
  "CC2kKncq4/Hxce3JJtjmEUpVDTJ0gaIwnQ+YSCNisxcsQtYbAoHBAMHCa5tRD3Jm0PPScdcseEmD+k8n9b7dNYuubeI8Np3eODLF",
  "S4EgL3KpCBhhpRp3f3DT56mRTpCeoWnEUY7k8mj5hw/cX2ypiU1eTgizt0c9p2E5QVGcelLZywKmaLd+IuwYF58YnsZ1ozhpurU4",
  "0WyzpFSrKAKHgXnFZEVvkqVLYi2rlxPyzsDBbnCYi4Sn6UQdUwKUYP2rfcbz+RCDt3DVnMZPguI5lzzXwjfIqBigJteDKnQYCTfL",
  "OOJHSggkXQKBwQCMYZb+p6m8XzhrPbbwHlVYyq4rxzn8xUdeY1iPapBP0La48qjyVs8fXY7DgF+ER/GSnj3TwcTtTI21+13J3O1m",
  "ebR43J3mbmJ/LT1HZbOvlInr7M9MCyJK1cmk8y/wXpmu5OVQMEDQnqyIPD3ZZuXURqeUbV4gKobDAd10CJWk32LQ1W7KwwSzhI71",
  "3AojhUDmb0Z9XpODPgFay6XR5KUxbriEoSLya5AOJrZZ0ZeTqolupcG7ExG4vHOEHnRbEz0CgcAuKaH1iSSC/xf9X0AcIc4uxbDX",
  "NxAHfzCIrPAlHG9uwUjmX7cTdpWXXco99NWfLqVAPlxNO/9Z2VFfn5RG1Skj9X9GOhzKCMJbmoJA9IBQCtJcCYYUaZGDN7x0Ty1X",
  "ukebtEm8b+M0KUbP4/DFyFms6kfWnEiWAa7JUkwHdwObOhCUDPObnxe/ONaVIOLsogyjW9ExJiTNixQWWH4YfykvStVlMgBe4ZW0",
  "uzrci4PxCgb3BZsRucBIeLR+xLlQo0kCgcAxaJa5nmx9qMwy8qCiKpwUKVOrs2jAhj0K3Q2zBAdV6Tk5N/qAOnha5qUVFARuwQWl",
  "BVN/bDGmp4JNjw5mR01vEkIAR9acfeFD2sUTB0oJgA3M1TKbO9MD13LWSOHUy5XF51dIsRsAuiOk6cS3/nVtTatDD8IY9SU+WTE3",
  "ytxEdgKmN/DkQnI3RThctpakmHm+yCUO+ZEWUZF5X38oqob19eNzTLDB+QmHeOoH6XFRa8naX2ivNQBn3o/ko+LxpB0="
]

const privateKey = createPrivateKey({ key: Buffer.from(der.join(""), "base64"), format: "der", type: "pkcs8" })

/** Public and private side of what keys are wrapped with in worlds. */
export const wrappingPair = { privateKey, publicKey: createPublicKey(privateKey) }
