"""lintel cfn: CloudFormation templates resolved, checked and described (cfn.md section 16)."""

import json
import unittest

from cli_case import FAILED, INVALID, OK, SCHEMAS, USAGE, CliCase

TEMPLATE = """
Parameters:
  Env: {Type: String, Default: dev, AllowedValues: [dev, prod], Description: where it runs}
  Password: {Type: String, NoEcho: true, Default: hush}
Conditions:
  IsProd: !Equals [!Ref Env, prod]
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    Properties: {BucketName: !Sub 'logs-${Env}'}
  Function:
    Type: AWS::Lambda::Function
    Properties:
      Target: !GetAtt Bucket.Arn
      Role: !GetAtt Role.Arn
      Password: !Ref Password
  Role: {Type: 'AWS::IAM::Role'}
  Extra: {Type: 'AWS::SNS::Topic', Condition: IsProd}
Outputs:
  Arn: {Value: !GetAtt Bucket.Arn}
"""


class CfnCase(CliCase):
    def setUp(self):
        super().setUp()
        self.write("t.yaml", TEMPLATE)

    def cfn(self, command, *options, code=OK, file="t.yaml"):
        return self.lintel("cfn", command, file, *options, code=code)

    def machine(self, command, *options, code=OK, file="t.yaml"):
        result = self.cfn(command, *options, "--json", code=code, file=file)
        value = json.loads(result.out)
        SCHEMAS.check("cfn-" + command, value)
        self.assertEqual(1, result.out.count("\n"), "one line")
        return value


class Resolve(CfnCase):
    def test_CF_280_CF_282_parameters_and_one_value(self):
        get = ("--get", "Outputs.Arn.Value")
        self.assertEqual("arn:aws:s3:::logs-dev\n", self.cfn("resolve", *get).out)
        self.assertEqual("arn:aws:s3:::logs-prod\n", self.cfn("resolve", "-p", "Env=prod", *get).out)
        self.assertEqual("arn:aws-cn:s3:::logs-dev\n", self.cfn("resolve", "--region", "cn-north-1", *get).out)
        self.cfn("resolve", "--get", "Outputs.None", code=USAGE)
        self.cfn("resolve", "--get", "Resources.Function.Properties.Role", code=INVALID)

    def test_CF_202_region_of_the_environment(self):
        get = ("--get", "Outputs.Arn.Value")
        env = {"AWS_REGION": "us-gov-west-1"}
        self.assertIn("aws-us-gov", self.lintel("cfn", "resolve", "t.yaml", *get, env=env).out)
        self.assertIn("arn:aws:", self.lintel("cfn", "resolve", "t.yaml", "--no-env", *get, env=env).out)

    def test_CF_210_CF_215_what_is_unknown_stays_and_is_reported(self):
        value = self.machine("resolve")
        properties = value["template"]["Resources"]["Function"]["Properties"]
        self.assertEqual({"Fn::GetAtt": ["Role", "Arn"]}, properties["Role"])
        self.assertEqual({"Ref": "Password"}, properties["Password"])
        kinds = {(e["kind"], e["path"]): e for e in value["report"]}
        self.assertIn(("withheld", "Resources.Function.Properties.Password"), kinds)
        self.assertEqual("generated", kinds[("unknown", "Resources.Function.Properties.Role")]["reason"])
        self.assertIn(("off", "Resources.Extra"), kinds)
        self.assertNotIn("hush", json.dumps(value))

    def test_CF_210_strict(self):
        result = self.cfn("resolve", "--strict", code=INVALID)
        self.assertEqual("", result.out)
        self.assertIn("cfn_unknown", result.err)
        self.assertIn("cfn_withheld", result.err)
        self.cfn("resolve", "--strict", "--show-sensitive", "--set", "Role.Arn=arn:r")

    def test_CF_211_CF_227_placeholders_and_stand_ins(self):
        self.assertIn('Role: ${Role.Arn}', self.cfn("resolve", "--placeholder").out)
        self.assertIn("role/Role", self.cfn("resolve", "--stand-ins").out)

    def test_CF_214_CF_282_formats_and_parts(self):
        result = self.cfn("resolve", "--output", "json", "--only", "Outputs")
        self.assertEqual({"Outputs": {"Arn": {"Value": "arn:aws:s3:::logs-dev"}}}, json.loads(result.out))
        self.cfn("resolve", "--only", "Outputs", "-o", "out.yaml")
        self.assertEqual("Outputs:\n  Arn:\n    Value: arn:aws:s3:::logs-dev\n", self.read("out.yaml").decode())

    def test_CF_215_report_in_a_file(self):
        self.cfn("resolve", "--report", "report.json")
        self.assertIn("unknown", {e["kind"] for e in json.loads(self.read("report.json"))})

    def test_CF_221_symbols(self):
        self.write("s.yaml", "Resources: {Role: {Arn: 'arn:role'}}\nParameters: {Env: prod}\n")
        self.assertIn("Role: arn:role", self.cfn("resolve", "--symbols", "s.yaml").out)
        self.assertIn("Role: arn:other", self.cfn("resolve", "--symbols", "s.yaml", "--set", "Role.Arn=arn:other").out)
        self.write("bad.yaml", "Resource: {}\n")
        self.assertIn("cfn_symbol_file", self.cfn("resolve", "--symbols", "bad.yaml", code=INVALID).err)

    def test_CF_260_CF_263_nested_stacks(self):
        self.write("child.yaml", "Resources:\n  Q: {Type: 'AWS::SQS::Queue', Properties: {QueueName: !Sub '${AWS::Region}-q'}}\n"
                                 "Outputs: {Url: {Value: !Ref Q}}\n")
        self.write("p.yaml", "Resources:\n  Child: {Type: 'AWS::CloudFormation::Stack', Properties: {TemplateURL: child.yaml}}\n"
                             "Outputs: {Url: {Value: !GetAtt Child.Outputs.Url}}\n")
        url = "https://sqs.us-east-1.amazonaws.com/123456789012/us-east-1-q"
        self.assertEqual(url + "\n", self.cfn("resolve", "--get", "Outputs.Url.Value", file="p.yaml").out)
        all_of_them = json.loads(self.cfn("resolve", "--nested", "inline", file="p.yaml").out)
        self.assertEqual([".", "Child"], list(all_of_them))
        self.assertEqual(url, all_of_them["Child"]["Outputs"]["Url"]["Value"])
        self.write("child.yaml", "Resources: {Q: {Type: 'AWS::SQS::Queue', Properties: {A: !Ref None}}}\n")
        self.assertIn("cfn_ref_unknown", self.cfn("validate", file="p.yaml", code=INVALID).err)

    def test_CF_281_exit_codes(self):
        self.cfn("resolve", code=FAILED, file="none.yaml")
        self.cfn("resolve", "-p", "Env", code=USAGE)
        self.cfn("resolve", "-p", "Env=other", code=INVALID)
        self.cfn("resolve", "-p", "Evn=dev", code=INVALID)
        self.write("broken.yaml", "Resources: [\n")
        self.assertEqual("", self.cfn("resolve", code=INVALID, file="broken.yaml").out)


class Validate(CfnCase):
    def test_CF_283_what_is_missing_is_no_mistake(self):
        self.write("m.yaml", "Parameters: {A: {Type: String}, B: {Type: String}}\n"
                             "Resources: {X: {Type: 'A::B::C', Properties: {A: !Ref A}}}\n")
        result = self.cfn("validate", file="m.yaml")
        self.assertEqual("m.yaml is valid\n", result.out)
        self.assertIn("cfn_unused", result.err)
        self.cfn("validate", "--strict", file="m.yaml", code=INVALID)
        self.assertTrue(self.machine("validate")["valid"])

    def test_CF_283_formats(self):
        self.write("bad.yaml", "Resources: {X: {Type: 'A::B::C', Properties: {A: !Ref B}}}\n")
        sarif = json.loads(self.cfn("validate", "--format", "sarif", file="bad.yaml", code=INVALID).out)
        self.assertEqual("cfn_ref_unknown", sarif["runs"][0]["results"][0]["ruleId"])
        self.assertIn("<testsuite", self.cfn("validate", "--format", "junit", file="bad.yaml", code=INVALID).out)
        self.assertFalse(self.machine("validate", file="bad.yaml", code=INVALID)["valid"])


class Describe(CfnCase):
    def test_CF_285_parameters(self):
        env, password = self.machine("params")["parameters"]
        self.assertEqual(("Env", "dev", ["dev", "prod"], 2), (env["name"], env["default"], env["allowedValues"], env["uses"]))
        self.assertEqual("(sensitive)", password["default"])
        self.assertIn("Env  String, used 2 times", self.cfn("params").out)
        self.assertEqual({"Parameters": {"Env": "dev", "Password": ""}}, json.loads(self.cfn("params", "--skeleton").out))

    def test_CF_286_graph(self):
        edges = {(e["from"], e["to"], e["kind"]) for e in self.machine("graph")["edges"]}
        self.assertIn(("Function", "Bucket", "GetAtt"), edges)
        self.assertIn(("Extra", "IsProd", "Condition"), edges)
        self.assertIn(("IsProd", "Env", "Ref"), edges)
        self.assertEqual(["Bucket", "Role", "Function", "Extra"], self.cfn("graph", "--order").out.split())
        self.assertIn('"Function" -> "Bucket" [label="GetAtt"];', self.cfn("graph", "--format", "dot").out)


if __name__ == "__main__":
    unittest.main()
