//! Generates the protocol from its .proto files; needs `protoc`.

fn main() -> std::io::Result<()> {
    let root = "../../../proto";
    let services = ["lobby_service", "table_service"].map(|name| format!("{root}/kawuxing/v1/{name}.proto"));
    tonic_prost_build::configure()
        .build_server(false)
        .compile_protos(&services, &[root.to_owned()])
}
