import Base
import Expectations

@Suite("Ed25519: RFC 8032 §7.1", .timeLimit(.minutes(10)))
struct Ed25519Tests {
    private static func bytes(_ hexadecimal: String) -> [UInt8] {
        stride(from: 0, to: hexadecimal.count, by: 2).map { offset in
            let start = hexadecimal.index(hexadecimal.startIndex, offsetBy: offset)
            return UInt8(hexadecimal[start...].prefix(2), radix: 16)!
        }
    }

    struct Vector: Sendable {
        var seed: String
        var publicKey: String
        var message: String
        var signature: String
    }

    private static let vectors = [
        Vector(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8"
                + "821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        Vector(
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085a"
                + "c1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ]

    @Test(arguments: vectors)
    func signatureIsThatOfTheVector(vector: Vector) {
        let key = Ed25519Key(seed: Self.bytes(vector.seed))
        let message = Self.bytes(vector.message)
        expectEqual(key.publicKey, Self.bytes(vector.publicKey))
        let signature = key.signature(of: message)
        expectEqual(signature, Self.bytes(vector.signature))
        expect(isEd25519Signature(signature, of: message, publicKey: key.publicKey))
    }

    @Test func changedSignatureMessageOrKeyIsRefused() {
        let key = Ed25519Key(seed: [UInt8](repeating: 7, count: 32))
        let message: [UInt8] = [1, 2, 3]
        let signature = key.signature(of: message)
        for index in [0, 31, 32, 63] {
            var changed = signature
            changed[index] ^= 1
            expect(!isEd25519Signature(changed, of: message, publicKey: key.publicKey))
        }
        expect(!isEd25519Signature(signature, of: [1, 2, 4], publicKey: key.publicKey))
        let other = Ed25519Key(seed: [UInt8](repeating: 8, count: 32)).publicKey
        expect(!isEd25519Signature(signature, of: message, publicKey: other))
        expect(!isEd25519Signature(signature.dropLast(), of: message, publicKey: key.publicKey))
        expect(!isEd25519Signature(signature, of: message, publicKey: [1]))
        expect(!isEd25519Signature([], of: message, publicKey: key.publicKey))
    }
}

private func isEd25519Signature(
    _ signature: ArraySlice<UInt8>,
    of message: [UInt8],
    publicKey: [UInt8]
) -> Bool {
    Base.isEd25519Signature(Array(signature), of: message, publicKey: publicKey)
}
