#!/usr/bin/env python3
"""Compares the detector's validators with python-stdnum, on random numbers and near misses.

    python3 -m venv /tmp/oracle && /tmp/oracle/bin/pip install python-stdnum==2.2
    cargo build --release -p maysend-detector --example verdicts
    /tmp/oracle/bin/python corpora/oracle.py --verdicts target/release/examples/verdicts --count 1000000

For each rule half of the numbers are random strings of its shape; the others are valid ones with one character changed
or two neighbours swapped. Each difference is decided by the standard, in DECIDED below, never by majority. Anything
else that differs is printed, and the exit code is 1.
"""
import argparse
import importlib
import random
import subprocess
import sys

# What the detector calls a rule, the oracle's module, and the shapes: `#` a digit, `@` a letter, `*` either, `{ABC}` one
# of a set, `{D}` a date as YYMMDD, `{E}` as DDMMYY, `{C}` as YYYYMMDD.
RULES = {
    "al.nipt": ("al.nipt", "{ABCDEFGHIJKLMN}########@"), "ar.cbu": ("ar.cbu", "######################"),
    "ar.cuit": ("ar.cuit", "{23}{0347}#########"), "ar.dni": ("ar.dni", "########"), "at.tin": ("at.tin", "#########"),
    "at.uid": ("at.uid", "U########"), "at.vnr": ("at.vnr", "####{E}"), "au.abn": ("au.abn", "###########"),
    "au.acn": ("au.acn", "#########"), "au.tfn": ("au.tfn", "#########"), "be.bis": ("be.bis", "##{234}#{0123}######"),
    "be.nn": ("be.nn", "{D}#####"), "be.vat": ("be.vat", "{01}#########"), "bg.egn": ("bg.egn", "{D}####"),
    "bg.pnf": ("bg.pnf", "##########"), "bg.vat": ("bg.vat", "#########"), "bic": ("bic", "@@@@@@**"),
    "br.cnpj": ("br.cnpj", "########0001##"), "br.cpf": ("br.cpf", "###########"), "by.unp": ("by.unp", "#########"),
    "ca.bc_phn": ("ca.bc_phn", "9#########"), "ca.bn": ("ca.bn", "#########"), "ca.sin": ("ca.sin", "#########"),
    "ch.ssn": ("ch.ssn", "756##########"), "ch.uid": ("ch.uid", "CHE#########"), "cl.rut": ("cl.rut", "########{0123456789K}"),
    "cn.ric": ("cn.ric", "110105{C}####"), "cn.uscc": ("cn.uscc", "91310000MA********"), "co.nit": ("co.nit", "##########"),
    "cr.cpf": ("cr.cpf", "#########"), "cu.ni": ("cu.ni", "{D}#####"), "cy.vat": ("cy.vat", "########@"),
    "cz.dic": ("cz.dic", "########"), "cz.rc": ("cz.rc", "{D}####"), "de.idnr": ("de.idnr", "###########"),
    "de.vat": ("de.vat", "#########"), "dk.cpr": ("dk.cpr", "{E}####"), "dk.cvr": ("dk.cvr", "########"),
    "do.cedula": ("do.cedula", "###########"), "ec.ci": ("ec.ci", "{012}#########"), "ee.ik": ("ee.ik", "{3456}{D}####"),
    "es.ccc": ("es.ccc", "####################"), "es.cif": ("es.cif", "{ABCDEFGHJNPQRSUVW}########"),
    "es.dni": ("es.dni", "########@"), "es.nie": ("es.nie", "{XYZ}#######@"), "es.nif": ("es.nif", "{KLM}#######@"),
    "fi.alv": ("fi.alv", "########"), "fi.hetu": ("fi.hetu", "{E}{-+A}###*"), "fr.nif": ("fr.nif", "{0123}############"),
    "fr.nir": ("fr.nir", "{12}##{01}###########"), "fr.siren": ("fr.siren", "#########"), "fr.siret": ("fr.siret", "##############"),
    "fr.tva": ("fr.tva", "FR###########"), "gb.nhs": ("gb.nhs", "##########"), "gb.upn": ("gb.upn", "@8########### "),
    "gb.utr": ("gb.utr", "##########"), "gb.vat": ("gb.vat", "#########"), "gh.tin": ("gh.tin", "P00########"),
    "gr.amka": ("gr.amka", "{E}#####"), "gr.vat": ("gr.vat", "#########"), "gt.nit": ("gt.nit", "########"),
    "hr.oib": ("hr.oib", "###########"), "hu.anum": ("hu.anum", "########"), "iban": ("iban", "NL##ABNA##########"),
    "id.nik": ("id.nik", "3171##{E}####"), "id.npwp": ("id.npwp", "###############"), "ie.pps": ("ie.pps", "#######@"),
    "il.idnr": ("il.idnr", "#########"), "imei": ("imei", "###############"), "in.aadhaar": ("in_.aadhaar", "############"),
    "in.epic": ("in_.epic", "@@@#######"), "in.gstin": ("in_.gstin", "27@@@P@####@1Z*"), "in.pan": ("in_.pan", "@@@P@####@"),
    "in.vid": ("in_.vid", "################"), "is.kennitala": ("is_.kennitala", "{E}###{90}"), "it.codicefiscale": ("it.codicefiscale", "RSSMRA##{ABCDEHLMPRST}##A###@"),
    "it.iva": ("it.iva", "#######0###"), "jp.cn": ("jp.cn", "#############"), "jp.in_": ("jp.in_", "############"), "ke.pin": ("ke.pin", "{AP}#########@"),
    "kr.rrn": ("kr.rrn", "{D}{12}######"), "lt.asmens": ("lt.asmens", "{3456}{D}####"), "luhn": ("luhn", "############"),
    "lv.pvn": ("lv.pvn", "{E}1####"), "md.idno": ("md.idno", "#############"), "meid": ("meid", "A%%%%%%%%%%%%%"), "mu.nid": ("mu.nid", "@{E}######*"),
    "mx.curp": ("mx.curp", "BOXW{D}HNERXN0#"), "mx.rfc": ("mx.rfc", "GODE{D}GR#"), "my.nric": ("my.nric", "{D}######"), "mz.nuit": ("mz.nuit", "#########"),
    "nl.bsn": ("nl.bsn", "#########"), "nl.btw": ("nl.btw", "NL#########B##"), "nl.onderwijsnummer": ("nl.onderwijsnummer", "10#######"),
    "no.fodselsnummer": ("no.fodselsnummer", "{E}#####"), "no.kontonr": ("no.kontonr", "###########"), "no.orgnr": ("no.orgnr", "#########"),
    "nz.ird": ("nz.ird", "#########"), "pe.cui": ("pe.cui", "#########"), "pe.ruc": ("pe.ruc", "20#########"), "pk.cnic": ("pk.cnic", "#############"),
    "pl.nip": ("pl.nip", "##########"), "pl.pesel": ("pl.pesel", "{D}#####"), "pl.regon": ("pl.regon", "#########"), "pt.cc": ("pt.cc", "#########@@#"),
    "pt.nif": ("pt.nif", "#########"), "py.ruc": ("py.ruc", "########"), "ro.cnp": ("ro.cnp", "{1256}{D}{0134}#####"), "ro.cui": ("ro.cui", "########"),
    "rs.pib": ("rs.pib", "#########"), "ru.inn": ("ru.inn", "############"), "se.orgnr": ("se.orgnr", "##########"), "se.personnummer": ("se.personnummer", "{D}-####"),
    "sg.uen": ("sg.uen", "########@"), "si.ddv": ("si.ddv", "########"), "si.emso": ("si.emso", "{E4}######"), "sk.dph": ("sk.dph", "##########"),
    "sk.rc": ("sk.rc", "{D}####"), "th.pin": ("th.pin", "#############"), "tn.mf": ("tn.mf", "#######@AM000"), "tr.tckimlik": ("tr.tckimlik", "###########"),
    "tr.vkn": ("tr.vkn", "##########"), "ua.rntrc": ("ua.rntrc", "##########"), "us.ein": ("us.ein", "#########"), "us.itin": ("us.itin", "9########"),
    "us.ptin": ("us.ptin", "P########"), "us.rtn": ("us.rtn", "#########"), "us.ssn": ("us.ssn", "#########"), "uy.rut": ("uy.rut", "21######001#"),
    "ve.rif": ("ve.rif", "{VEJPG}#########"), "vn.mst": ("vn.mst", "##########"), "za.idnr": ("za.idnr", "{D}####{01}##"), "za.tin": ("za.tin", "##########"),
}

# Where the oracle is lax, obsolete or strict about what changes from year to year: rule, the oracle's answer, why.
DECIDED = {
    ("au.abn", False): "the remainder alone is the rule (Australian Business Register); the oracle makes check digits from 11 on, and 10 leaves what 99 does",
    ("be.bis", False): "the oracle takes no births after today; here until the year of LATEST_YEAR",
    ("be.nn", False): "the oracle takes no births after today; here until the year of LATEST_YEAR",
    ("be.vat", True): "check digits are 97 less the remainder: 01 to 97, never 00",
    ("br.cnpj", False): "letters are in use since July 2026 (Instrução Normativa RFB 2.229/2024)",
    ("cn.ric", False): "the oracle knows each county and its years; here the province is checked, as counties change",
    ("dk.cpr", False): "the oracle takes no births after today",
    ("es.dni", False): "seven digits with their letter are read with the zero that people leave out",
    ("fi.hetu", False): "numbers from 900 are given for a time and name a person (Valtioneuvoston asetus 128/2010)",
    ("gb.nhs", True): "a row of zeros passes the sum and is never issued",
    ("il.idnr", True): "a row of zeros passes the sum and is never issued",
    ("kr.rrn", False): "no check digit for those born since October 2020",
    ("no.fodselsnummer", False): "the oracle takes no births after today",
    ("se.personnummer", False): "coordination numbers have 60 added to the day (Folkbokföringslagen § 18 b)",
    ("us.itin", False): "groups 50 to 65 are issued (Internal Revenue Manual 3.21.263)",
    ("us.rtn", True): "the first two digits must be of a district, thrift, electronic institution or cheque",
    ("za.idnr", False): "citizenship 2 marks refugees",
    ("br.cpf", True): "repetitions of one digit pass the sums and are never issued",
    ("ca.sin", True): "8 is not given to persons",
    ("de.vat", True): "a number does not start with 0",
}


def fill(rng, shape):
    year, month, day = rng.randrange(1930, 2026), rng.randrange(1, 13), rng.randrange(1, 30)
    dates = {"D": f"{year % 100:02}{month:02}{day:02}", "E": f"{day:02}{month:02}{year % 100:02}",
             "C": f"{year}{month:02}{day:02}", "E4": f"{day:02}{month:02}{year % 1000:03}"}
    out, at = [], 0
    while at < len(shape):
        kind = shape[at]
        if kind == "{":
            end = shape.index("}", at)
            name = shape[at + 1:end]
            out.append(dates.get(name) or rng.choice(name))
            at = end
        elif kind == "#":
            out.append(rng.choice("0123456789"))
        elif kind == "@":
            out.append(rng.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        elif kind == "*":
            out.append(rng.choice("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        elif kind == "%":
            out.append(rng.choice("0123456789ABCDEF"))
        elif kind != " ":
            out.append(kind)
        at += 1
    return "".join(out)


def near(rng, number):
    at = rng.randrange(len(number))
    if rng.random() < 0.5 and at:
        return number[:at - 1] + number[at] + number[at - 1] + number[at + 1:]
    other = rng.choice("0123456789" if number[at].isdigit() else "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return number[:at] + other + number[at + 1:]


def numbers(rng, shape, valid, count):
    kept = []
    for index in range(count):
        number = fill(rng, shape)
        if index % 2 and kept:
            number = near(rng, rng.choice(kept))
        elif valid(number) and len(kept) < 1000:
            kept.append(number)
        yield number
    # What passes seldom is represented all the same.
    yield from kept


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--verdicts", required=True, help="the example program of the detector")
    arguments.add_argument("--count", type=int, default=10_000, help="numbers of each rule")
    arguments.add_argument("rules", nargs="*", help="only these")
    options = arguments.parse_args()
    unknown = 0
    for rule, (module, shape) in sorted(RULES.items()):
        if options.rules and rule not in options.rules:
            continue
        valid = importlib.import_module("stdnum." + module).is_valid
        made = list(numbers(random.Random(rule), shape, valid, options.count))
        feed = "".join(f"{rule}\t{number}\n" for number in made)
        run = subprocess.run([options.verdicts], input=feed.encode(), stdout=subprocess.PIPE, check=True)
        answers = run.stdout.decode().split()
        differ = [(n, valid(n)) for n, a in zip(made, answers) if (a == "1") != bool(valid(n))]
        passed = sum(answer == "1" for answer in answers)
        print(f"{rule:24} {len(made):8} numbers  {passed:8} valid  {len(differ):6} differ")
        for oracle in (True, False):
            own = [number for number, said in differ if bool(said) == oracle]
            if own and (rule, oracle) in DECIDED:
                print(f"    decided: {DECIDED[rule, oracle]}; such as {own[0]}")
            elif own:
                unknown += len(own)
                print(f"    the oracle says {'valid' if oracle else 'invalid'}: {', '.join(own[:8])}")
    sys.exit(unknown > 0)


main()
