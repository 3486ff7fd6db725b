# ruff: noqa: E501
"""What the world's names and sentences are made of, and Turkish endings for names."""

from __future__ import annotations

TR_FIRST = """Ayşe Fatma Elif Zeynep Emine Hatice Merve Büşra Esra Sude İrem Derya Gül Ceren Işıl Özge Şule Pınar
Burcu Tuğba Mehmet Mustafa Ahmet Ali Hüseyin Hasan İbrahim İsmail Osman Yusuf Murat Ömer Ramazan Halil Süleyman
Kemal Serkan Emre Burak Onur Çağlar Ufuk Tolga Barış Kerem Şahin Görkem Deniz Umut Yiğit""".split()
TR_LAST = """Yılmaz Kaya Demir Şahin Çelik Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan Çetin Kara
Koç Kurt Özkan Şimşek Polat Korkmaz Erdoğan Güneş Aksoy Bulut Taş Ateş Işık Uçar Tekin Avcı Sarı Ünal Güler Keskin
Karaca Toprak Duman Bozkurt Ağaoğlu Ekinci Sezer Turan Soylu Vural Yalçın Coşkun Tunç Akın Bayram Gündüz Ergin
Uysal Başaran Çakır Dinç Ertaş Gökçe Karataş""".split()
EN_FIRST = """James Mary Robert Linda Michael Karen David Susan William Jessica Richard Sarah Thomas Emily Charles
Laura Daniel Megan Matthew Rachel Andrew Hannah Joshua Olivia Kevin Grace Brian Chloe George Alice Edward Sophie
Jason Claire Ryan Julia Jacob Helen Gary Nora""".split()
EN_LAST = """Smith Johnson Brown Miller Davis Wilson Moore Taylor Anderson Jackson White Harris Martin Thompson
Walker Young King Wright Scott Hill Green Adams Baker Nelson Carter Mitchell Turner Parker Collins Edwards Stewart
Morris Murphy Cook Rogers Bailey Cooper Howard Ward Brooks Bennett Hughes Foster Palmer Fisher""".split()

TR_COMPANY = """Ege Karadeniz Anadolu Marmara Toros Trakya Kapadokya Bosphorus Ağaoğlu Çınar Yakamoz Poyraz Lodos Defne
Zeytin Kardelen Gökkuşağı Mercan Turkuaz Altınok Beyaztaş Demirkan Ilgaz Uludağ Erciyes Munzur Kaçkar Safir Yakut
İnci Doruk Pusula Rota Liman Pelit Söğüt Ardıç Kestane Badem Nar Ayvaz Ulusoy Özgün Şafak Tan Yörük Akçay Göksu
Işıklar Üçgen""".split()
TR_TRADE = """Tekstil Gıda Lojistik Mobilya Makine Elektrik Kimya Turizm İnşaat Otomotiv Plastik Ambalaj Kozmetik
Tarım Medikal Yazılım Enerji Cam Seramik Kırtasiye Oyuncak Matbaa Mermer Deri Hırdavat Aydınlatma Optik Boya Çelik
Porselen Nakliyat Bilişim Temizlik Hayvancılık Denizcilik Yayıncılık Ayakkabı Mücevherat Kauçuk Fidancılık""".split()
EN_COMPANY = """Northwind Harbor Summit Oakfield Silverline Bluebird Redwood Granite Meridian Falcon Copperfield Lakeside
Ironbridge Westgate Eastwood Goldleaf Starling Pinecrest Riverside Stonebrook Clearwater Highland Fairview Maple
Thornhill Brightwell Kingsley Amberly Cloverdale Ravenswood Whitestone Foxglove Hawthorn Larkspur Wexford""".split()
EN_TRADE = """Foods Textiles Logistics Furniture Machinery Chemicals Travel Builders Motors Plastics Packaging Cosmetics
Farms Medical Software Energy Glass Ceramics Stationery Toys Printing Marble Leather Hardware Lighting Optics Paints
Steel Electronics Shipping""".split()
TR_CITY = "İzmir İstanbul Ankara Bursa Antalya Adana Konya Gaziantep Trabzon Kayseri Muğla Çanakkale Eskişehir".split()
EN_CITY = "London Leeds Dublin Bristol Boston Denver Seattle Toronto Manchester Glasgow Austin Oslo".split()
SUPPLIER_TAIL = ("Tedarik", "Toptan", "İthalat", "Dağıtım", "Supply", "Wholesale", "Trading", "Imports")

PRODUCTS = (
    ("Lazer Yazıcı", "Laser Printer"), ("Ofis Koltuğu", "Office Chair"), ("Barkod Okuyucu", "Barcode Scanner"),
    ("Su Sebili", "Water Dispenser"), ("Paket Bandı", "Packing Tape"), ("Endüstriyel Raf", "Industrial Shelf"),
    ("Kahve Makinesi", "Coffee Machine"), ("Güvenlik Kamerası", "Security Camera"), ("Masa Lambası", "Desk Lamp"),
    ("Hava Temizleyici", "Air Purifier"), ("Projektör", "Projector"), ("El Terminali", "Handheld Terminal"),
    ("Evrak İmha Makinesi", "Paper Shredder"), ("Kesintisiz Güç Kaynağı", "Power Supply Unit"),
    ("Transpalet", "Pallet Truck"), ("Hassas Terazi", "Precision Scale"), ("Toz Maskesi", "Dust Mask"),
    ("İş Eldiveni", "Work Glove"), ("Basınç Sensörü", "Pressure Sensor"), ("Etiket Yazıcısı", "Label Printer"),
)  # fmt: skip
DEPARTMENTS = (
    ("satış", "sales"), ("finans", "finance"), ("destek", "support"), ("insan kaynakları", "human resources"),
    ("satın alma", "purchasing"), ("lojistik", "logistics"),
)  # fmt: skip
TITLES = (("uzman", "specialist"), ("kıdemli uzman", "senior specialist"), ("takım lideri", "team lead"),
          ("müdür", "manager"))  # fmt: skip
BANKS = "Ziraat Garanti Akbank Yapı-Kredi İş-Bankası Barclays Lloyds Denizbank".split()
SUBJECTS = (
    ("geç teslimat", "late delivery"), ("hasarlı koli", "damaged parcel"), ("eksik ürün", "missing item"),
    ("yanlış renk", "wrong colour"), ("bozuk ekran", "broken screen"), ("çalışmayan motor", "dead motor"),
)  # fmt: skip
ORDER_STATUS = (("hazırlanıyor", "in preparation"), ("kargoda", "shipped"), ("teslim edildi", "delivered"),
                ("onay bekliyor", "awaiting approval"))  # fmt: skip
MONTHS_TR = "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık".split()
MONTHS_EN = (
    """January February March April May June July August September October November December""".split()
)

_FRONT, _ROUND, _VOWELS = "eiöüEİÖÜ", "oöuüOÖUÜ", "aeıioöuüAEIİOÖUÜ"
_HARD = "fstkçşhpFSTKÇŞHP"


def ending(name: str, case: str, apostrophe: bool = True) -> str:
    """A name in the genitive, dative, locative, ablative or accusative: ("Kaya", "gen") → "Kaya'nın"."""
    vowel = next((letter for letter in reversed(name) if letter in _VOWELS), "a")
    front, rounded, open_end = vowel in _FRONT, vowel in _ROUND, name[-1] in _VOWELS
    high = ("ü" if rounded else "i") if front else ("u" if rounded else "ı")
    low = "e" if front else "a"
    stop = "t" if name[-1] in _HARD else "d"
    suffix = {
        "gen": f"{'n' if open_end else ''}{high}n",
        "dat": f"{'y' if open_end else ''}{low}",
        "acc": f"{'y' if open_end else ''}{high}",
        "loc": f"{stop}{low}",
        "abl": f"{stop}{low}n",
    }[case]
    return f"{name}{chr(39) if apostrophe else ''}{suffix}"
